package demo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"

	"github.com/kubectl-fathom/kubectl-fathom/demo/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// zonalDisk is the StorageClass of the claims. It binds with WaitForFirstConsumer.
const zonalDisk = "zonal-ssd"

// setDefaults sets the defaults of kube-apiserver.
func setDefaults(object runtime.Object) { legacyscheme.Scheme.Default(object) }

// pods adds the pods of a workload: first the running ones, then the pending ones.
func (s *story) pods(w *workload, owner *metav1.OwnerReference, template *corev1.PodTemplateSpec, name func(int) string) error {
	first, err := s.admitted(w, template)
	if err != nil {
		return err
	}
	for i := range len(w.on) + w.unbound {
		pod := first.DeepCopy()
		pod.Name, pod.UID = name(i), s.uid()
		pod.OwnerReferences = []metav1.OwnerReference{*owner}
		if owner.Kind == statefulSet {
			s.identify(w, pod, i)
		}
		if i < len(w.on) {
			s.run(pod, w.on[i], w.age)
		} else {
			s.leavePending(pod, w.pending)
		}
		s.add(pod)
	}
	return nil
}

// admitted is a pod of the template after admission by kube-apiserver.
func (s *story) admitted(w *workload, template *corev1.PodTemplateSpec) (*corev1.Pod, error) {
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Namespace, pod.Generation = w.namespace, 1
	rules := cluster.Admission{Client: s.client}
	if err := rules.Admit(context.Background(), pod); err != nil {
		return nil, err
	}
	if len(rules.Caveats) > 0 {
		return nil, fmt.Errorf("admit a pod: %s", rules.Caveats[0])
	}
	setDefaults(pod)
	pod.Status.QOSClass = qos.GetPodQOS(pod)
	return pod, nil
}

// identify sets the identity of a StatefulSet pod: its index, host name and claim.
func (s *story) identify(w *workload, pod *corev1.Pod, number int) {
	pod.Labels[appsv1.StatefulSetPodNameLabel], pod.Labels[appsv1.PodIndexLabel] = pod.Name, strconv.Itoa(number)
	pod.Spec.Hostname, pod.Spec.Subdomain = pod.Name, w.name
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].Name == "data" {
			pod.Spec.Volumes[i].VolumeSource = corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-" + pod.Name},
			}
		}
	}
}

// run binds a pod to a node, where it has been running for its age.
func (s *story) run(pod *corev1.Pod, node string, age time.Duration) {
	created := s.ago(age)
	pod.CreationTimestamp, pod.Spec.NodeName = created, node
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: created}}
	if kubelet.Unpullable(pod) != "" {
		pod.Status.Phase = corev1.PodPending // the kubelet will report it
		return
	}
	kubelet.Started(pod, metav1.NewTime(created.Add(2*time.Second)), s.address(pod))
}

// leavePending leaves a pod Pending. kube-scheduler adds its own message later.
func (s *story) leavePending(pod *corev1.Pod, since time.Duration) {
	pod.CreationTimestamp, pod.Status.Phase = s.ago(since), corev1.PodPending
	condition := corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, ObservedGeneration: 1,
		LastTransitionTime: pod.CreationTimestamp,
	}
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		condition.Reason, condition.Message = corev1.PodReasonSchedulingGated, "Scheduling is blocked due to non-empty scheduling gates"
	case pod.Spec.SchedulerName != corev1.DefaultSchedulerName:
		return // no scheduler has seen it
	}
	pod.Status.Conditions = []corev1.PodCondition{condition}
}

// claims adds the PersistentVolumeClaims of a StatefulSet with their volumes.
func (s *story) claims(w *workload, set *appsv1.StatefulSet) {
	for i, zone := range w.volumes {
		claim := set.Spec.VolumeClaimTemplates[0].DeepCopy()
		claim.ObjectMeta = s.object(w, fmt.Sprintf("data-%s-%d", w.name, i))
		claim.Annotations = map[string]string{volume.AnnBindCompleted: "yes", volume.AnnBoundByController: "yes"}
		claim.Spec.VolumeName = "pvc-" + string(claim.UID)
		claim.Status = corev1.PersistentVolumeClaimStatus{
			Phase: corev1.ClaimBound, AccessModes: claim.Spec.AccessModes, Capacity: claim.Spec.Resources.Requests,
		}
		of := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{
				Name: claim.Spec.VolumeName, UID: s.uid(), CreationTimestamp: claim.CreationTimestamp,
				Annotations: map[string]string{volume.AnnDynamicallyProvisioned: diskDriver},
			},
			Spec: corev1.PersistentVolumeSpec{
				Capacity: claim.Spec.Resources.Requests, AccessModes: claim.Spec.AccessModes, StorageClassName: zonalDisk,
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
				ClaimRef:                      &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
				PersistentVolumeSource:        corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: diskDriver, VolumeHandle: string(claim.UID)}},
				NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"eu-1" + zone},
					}},
				}}}},
			},
			Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
		}
		s.add(claim, of)
	}
}

// jobOf is a Job whose pods run in parallel and complete after a time.
func jobOf(w *workload, pods int32, lasts time.Duration) *batchv1.Job {
	template := w.template()
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	template.Annotations = map[string]string{kubelet.RunsFor: lasts.String()}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: w.name, Labels: map[string]string{"app": w.name}},
		Spec:       batchv1.JobSpec{Template: template, Parallelism: new(pods), Completions: new(pods)},
	}
}

// uid is the next random UID.
func (s *story) uid() types.UID {
	high, low := s.rand.Uint64(), s.rand.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>48&0x3fff|0x8000, low&(1<<48-1)))
}

// suffix is a unique suffix of a pod name: five of the characters that Kubernetes uses.
func (s *story) suffix() string {
	const from = "bcdfghjklmnpqrstvwxz2456789"
	name := make([]byte, 5)
	for {
		for i := range name {
			name[i] = from[s.rand.IntN(len(from))]
		}
		if drawn := string(name); !s.suffixes[drawn] {
			s.suffixes[drawn] = true
			return drawn
		}
	}
}
