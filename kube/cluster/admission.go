package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1rules "k8s.io/kubernetes/pkg/apis/core/v1"
	schedulingrules "k8s.io/kubernetes/pkg/apis/scheduling/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// graceForLostNodes is what the API server's DefaultTolerationSeconds plugin
// gives a pod on a node that is lost.
const graceForLostNodes = 300

// Admission does to a pod what the API server does to it on creation, as far as
// the objects that this depends on can be read. It is for where no dry run may
// be sent.
type Admission struct {
	Client  kubernetes.Interface
	Unread  string   // why what may not be read is not; "" is a lack of permission
	Caveats []string // what it could not do

	Rejected []report.Rejection // for what the pod names and is not there
}

// Admit completes pod in place.
func (a *Admission) Admit(ctx context.Context, pod *corev1.Pod) error {
	corev1rules.SetObjectDefaults_Pod(pod)
	labelkeys.Merge(pod)
	if err := a.limitRanges(ctx, pod); err != nil {
		return err
	}
	a.priority(ctx, pod)
	a.runtimeClass(ctx, pod)
	tolerateLostNodes(pod)
	return nil
}

// controllerKey is a controller of pods.
type controllerKey struct {
	apiVersion, kind string
	uid              types.UID
}

// creation is the pod that a controller creates, and what rejects it; nil where there is none.
type creation struct {
	pod      *corev1.Pod
	rejected []report.Rejection
	err      error
}

// createdBy reads the pods that controllers create, at most 15 s late, as explain.Options asks for
// them.
func createdBy(a *CachedReader) func(context.Context, string, *metav1.OwnerReference) (*corev1.Pod, []report.Rejection, error) {
	return func(ctx context.Context, namespace string, by *metav1.OwnerReference) (*corev1.Pod, []report.Rejection, error) {
		found, ok := a.created.of(ctx, controllerKey{by.APIVersion, by.Kind, by.UID}, func() creation { return readCreation(ctx, a, namespace, by) })
		if !ok {
			return nil, nil, ctx.Err()
		}
		return found.pod.DeepCopy(), found.rejected, found.err
	}
}

// readCreation asks for the controller and the classes that its template names.
func readCreation(ctx context.Context, a *CachedReader, namespace string, by *metav1.OwnerReference) creation {
	pod, err := podOf(ctx, a, namespace, by)
	if err != nil || pod == nil {
		return creation{err: err}
	}
	corev1rules.SetObjectDefaults_Pod(pod)
	labelkeys.Merge(pod)
	rules := &Admission{Client: a.options.Client}
	rules.priority(ctx, pod)
	rules.runtimeClass(ctx, pod)
	return creation{pod: pod, rejected: rules.Rejected}
}

// MissingClasses is what rejects a pod because its PriorityClass or its RuntimeClass does not exist, as far
// as a client can read them. The pod itself stays as it is.
func MissingClasses(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) []report.Rejection {
	rules, tried := &Admission{Client: client}, pod.DeepCopy()
	rules.priority(ctx, tried)
	rules.runtimeClass(ctx, tried)
	return rules.Rejected
}

// podOf is the pod of a controller's template; nil where the controller is gone, or none of
// Kubernetes.
func podOf(ctx context.Context, a *CachedReader, namespace string, by *metav1.OwnerReference) (pod *corev1.Pod, err error) {
	kind := creators[by.Kind]
	if kind == nil || schema.FromAPIVersionAndKind(by.APIVersion, by.Kind).Group != kind.group {
		return nil, nil
	}
	list, err := kind.list(ctx, a.options.Client, namespace, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, by.Name).String(),
	})
	if err != nil {
		return nil, errors.New(unread(kind.resource, err, a.options.Words))
	}
	err = meta.EachListItem(list, func(o runtime.Object) error {
		if of, err := meta.Accessor(o); err == nil && of.GetUID() == by.UID {
			planned, _ := admission.PodOf(o, namespace)
			pod = planned.Pod
			planned.WithoutClaims(pod)
		}
		return nil
	})
	return pod, err
}

// leaveOut notes what could not be read, or is not there. plugin is the one of kube-apiserver
// that then rejects the pod.
func (a *Admission) leaveOut(plugin, what string, err error) {
	switch {
	case apierrors.IsNotFound(err):
		a.Rejected = append(a.Rejected, admission.NotThere(plugin, what))
	case apierrors.IsForbidden(err):
		a.Caveats = append(a.Caveats, what+" ignored: "+cmp.Or(a.Unread, "not allowed to read it"))
	default:
		a.Caveats = append(a.Caveats, fmt.Sprintf("%s ignored: %v", what, err))
	}
}

// limitRanges fills in the requests and limits that the namespace's LimitRanges give.
func (a *Admission) limitRanges(ctx context.Context, pod *corev1.Pod) error {
	ranges, err := a.Client.CoreV1().LimitRanges(pod.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		a.leaveOut("LimitRanger", "LimitRanges of namespace "+pod.Namespace, err)
		return nil
	}
	_, err = admission.ApplyLimitRanges(pod, ranges.Items) // admission.Judge says what they reject
	return err
}

// priority resolves the PriorityClass, or the cluster's default one.
func (a *Admission) priority(ctx context.Context, pod *corev1.Pod) {
	class, err := a.priorityClass(ctx, pod.Spec.PriorityClassName)
	switch {
	case err != nil:
		what := "global default PriorityClass"
		if pod.Spec.PriorityClassName != "" {
			what = "PriorityClass " + pod.Spec.PriorityClassName
		}
		a.leaveOut("Priority", what, err)
	case class == nil:
		pod.Spec.Priority = new(int32(0))
		pod.Spec.PreemptionPolicy = new(corev1.PreemptLowerPriority)
	default:
		pod.Spec.PriorityClassName, pod.Spec.Priority = class.Name, &class.Value
		pod.Spec.PreemptionPolicy = class.PreemptionPolicy
		if pod.Spec.PreemptionPolicy == nil {
			pod.Spec.PreemptionPolicy = new(corev1.PreemptLowerPriority)
		}
	}
}

// priorityClass finds a class by name; "" is the lowest of the default ones,
// nil if there is none.
func (a *Admission) priorityClass(ctx context.Context, name string) (*schedulingv1.PriorityClass, error) {
	for _, class := range schedulingrules.SystemPriorityClasses() {
		if class.Name == name {
			return class, nil
		}
	}
	if name != "" {
		return a.Client.SchedulingV1().PriorityClasses().Get(ctx, name, metav1.GetOptions{})
	}
	classes, err := a.Client.SchedulingV1().PriorityClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var lowest *schedulingv1.PriorityClass
	for i, class := range classes.Items {
		if class.GlobalDefault && (lowest == nil || class.Value < lowest.Value) {
			lowest = &classes.Items[i]
		}
	}
	return lowest, nil
}

// runtimeClass adds the overhead and the placement of the pod's RuntimeClass.
func (a *Admission) runtimeClass(ctx context.Context, pod *corev1.Pod) {
	if pod.Spec.RuntimeClassName == nil {
		return
	}
	name := *pod.Spec.RuntimeClassName
	class, err := a.Client.NodeV1().RuntimeClasses().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		a.leaveOut("RuntimeClass", "RuntimeClass "+name, err)
		return
	}
	if class.Overhead != nil {
		pod.Spec.Overhead = class.Overhead.PodFixed
	}
	if class.Scheduling == nil {
		return
	}
	if pod.Spec.NodeSelector == nil {
		pod.Spec.NodeSelector = map[string]string{}
	}
	maps.Copy(pod.Spec.NodeSelector, class.Scheduling.NodeSelector)
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, class.Scheduling.Tolerations...)
}

// tolerateLostNodes adds the tolerations that every pod gets.
func tolerateLostNodes(pod *corev1.Pod) {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		}) {
			continue
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
			Key:               key,
			Operator:          corev1.TolerationOpExists,
			Effect:            corev1.TaintEffectNoExecute,
			TolerationSeconds: new(int64(graceForLostNodes)),
		})
	}
}
