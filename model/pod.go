package model

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// SystemCritical is the priority from which pods are critical for the cluster or their node:
// SystemCriticalPriority of k8s.io/kubernetes/pkg/apis/scheduling.
const SystemCritical = 2_000_000_000

// Pod is what the dashboard shows of one pod, derived once from the object.
// Object is the very one that the engine holds: nothing is stored twice.
type Pod struct {
	Object   *corev1.Pod
	Status   string // phase and reason as the STATUS of kubectl get pods
	Ready    int32  // containers that are ready; sidecars count as in kubectl
	Total    int32  // of so many
	Restarts int32
	QOS      corev1.PodQOSClass
	Owner    Owner // the controller; zero without one
	Waits    bool  // unbound, or bound and not started: what the Pending view shows

	// What equal pods share, never nil and never changed. Requests are as the scheduler counts: sidecars, init
	// containers, overhead, pod-level resources.
	Requests, Limits *Resources

	fullName string // kept, for a filter asks every pod for it at every key
}

// Since is when the pod was created: it is pending from then on.
func (p *Pod) Since() time.Time { return p.Object.CreationTimestamp.Time }

// Name is the pod's; one that does not exist goes by its workload.
func (p *Pod) Name() string { return cmp.Or(p.Object.Name, p.Owner.Name) }

// Failing reports whether the pod has failed, or one of its containers fails to start or to keep
// running, as the STATUS of kubectl get pods says: Error, ErrImagePull, CrashLoopBackOff.
func (p *Pod) Failing() bool {
	return p.Object.Status.Phase == corev1.PodFailed || strings.Contains(p.Status, "Err") || strings.Contains(p.Status, "BackOff")
}

// IsMirror reports whether the pod is a mirror pod: the kubelet runs its static pod from a
// file, whatever happens to the mirror pod.
func IsMirror(pod *corev1.Pod) bool {
	_, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return mirror
}

// FullName is namespace/name.
func (p *Pod) FullName() string {
	if p.fullName != "" {
		return p.fullName
	}
	return p.Object.Namespace + "/" + p.Name()
}

// Priority is spec.priority; 0 where admission has set none.
func (p *Pod) Priority() int32 {
	if p.Object.Spec.Priority == nil {
		return 0
	}
	return *p.Object.Spec.Priority
}

// Ref names this very pod: one that was made again under its name is another.
func (p *Pod) Ref() Ref {
	return Ref{Resource: "pods", Namespace: p.Object.Namespace, Name: p.Object.Name, UID: p.Object.UID}
}

// ShortQOS are the QoS classes in words of at most five letters.
var ShortQOS = map[corev1.PodQOSClass][]string{
	corev1.PodQOSGuaranteed: {"Guar"},
	corev1.PodQOSBurstable:  {"Burst"},
	corev1.PodQOSBestEffort: {"Best"},
}

// ShortQOS is the QoS class as the narrow column shows it.
func (p *Pod) ShortQOS() string {
	if short := ShortQOS[p.QOS]; short != nil {
		return short[0]
	}
	return string(p.QOS)
}

// Owner is the workload that a pod belongs to, as far as the pod says: of a
// ReplicaSet that a Deployment made, the Deployment.
type Owner struct {
	Kind, Name string
	UID        types.UID // of the direct controller
}

// String is the workload as kubectl names it, "deployment/checkout"; "" without.
func (o Owner) String() string { return string(o.Append(nil)) }

// Append adds what String gives to dst.
func (o *Owner) Append(dst []byte) []byte {
	if o.Name == "" {
		return dst
	}
	for i := range len(o.Kind) {
		dst = append(dst, AsLower(o.Kind[i]))
	}
	return append(append(dst, '/'), o.Name...)
}

// KindWord is the workload's kind; a pod without one stands for itself.
func (o Owner) KindWord() string { return cmp.Or(o.Kind, "Pod") }

// AsLower is an ASCII letter in lower case; any other byte as it is.
func AsLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// limitRanger is the annotation of pods that got defaults of a LimitRange. The admission plugin
// LimitRanger writes what it set into it, for instance "LimitRanger plugin set: cpu, memory
// request for container app; memory limit for container app" (SetDefaults and
// mergePodResourceRequirements of plugin/pkg/admission/limitranger).
const limitRanger = "kubernetes.io/limit-ranger"

// HasLimitRangeDefaults reports whether a LimitRange gave containers of a pod requests or limits.
func HasLimitRangeDefaults(pod *corev1.Pod) bool { return pod.Annotations[limitRanger] != "" }

// HasDefaultRequests reports whether a LimitRange gave containers of a pod requests, and HasDefaultLimits whether it
// gave them limits; init containers count.
func HasDefaultRequests(pod *corev1.Pod) bool { return hasDefault(pod, " request for ") }

// HasDefaultLimits is described at HasDefaultRequests.
func HasDefaultLimits(pod *corev1.Pod) bool { return hasDefault(pod, " limit for ") }

func hasDefault(pod *corev1.Pod, kind string) bool {
	return strings.Contains(pod.Annotations[limitRanger], kind)
}

// LimitRangeDefaults is how much of what the containers of a pod request, init containers apart, are
// defaults of a LimitRange; nil where none are.
func LimitRangeDefaults(pod *corev1.Pod) corev1.ResourceList {
	var defaults corev1.ResourceList
	eachDefault(pod, func(_ string, name corev1.ResourceName, amount resource.Quantity) {
		if defaults == nil {
			defaults = corev1.ResourceList{}
		}
		amount.Add(defaults[name])
		defaults[name] = amount
	})
	return defaults
}

// LimitRangeDefaulted are the containers of a pod, init containers apart, whose request of a resource is
// a default of a LimitRange.
func LimitRangeDefaulted(pod *corev1.Pod, of corev1.ResourceName) (containers []string) {
	eachDefault(pod, func(container string, name corev1.ResourceName, _ resource.Quantity) {
		if name == of {
			containers = append(containers, container)
		}
	})
	return containers
}

// eachDefault calls do with each request of a container that is a default of a LimitRange.
func eachDefault(pod *corev1.Pod, do func(container string, name corev1.ResourceName, amount resource.Quantity)) {
	_, set, ok := strings.Cut(pod.Annotations[limitRanger], " set: ")
	if !ok {
		return
	}
	for part := range strings.SplitSeq(set, "; ") {
		resources, container, ok := strings.Cut(part, " request for container ")
		if !ok {
			continue
		}
		for i := range pod.Spec.Containers {
			if pod.Spec.Containers[i].Name != container {
				continue
			}
			for name := range strings.SplitSeq(resources, ", ") {
				amount, set := pod.Spec.Containers[i].Resources.Requests[corev1.ResourceName(name)]
				if set && !amount.IsZero() {
					do(container, corev1.ResourceName(name), amount)
				}
			}
		}
	}
}
