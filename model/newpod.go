package model

import (
	"cmp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/util/qos"
)

// NewPod derives what is shown of a pod. The object is kept and must not change.
func NewPod(object *corev1.Pod) *Pod { return newPod(object, podAmountsOf(object)) }

// podAmounts is what a pod requests and may use.
type podAmounts struct{ requests, limits *Resources }

func podAmountsOf(object *corev1.Pod) podAmounts {
	requests, limits := requestsOf(object), limitsOf(object)
	return podAmounts{&requests, &limits}
}

func newPod(object *corev1.Pod, amounts podAmounts) *Pod {
	words, owner := podWords(object), OwnerOf(object)
	return &Pod{
		Object:   object,
		Status:   words.reason,
		Ready:    words.ready,
		Total:    words.total,
		Restarts: words.restarts,
		QOS:      qos.GetPodQOS(object),
		Requests: amounts.requests,
		Limits:   amounts.limits,
		Owner:    owner,
		Waits:    waits(object),
		fullName: object.Namespace + "/" + cmp.Or(object.Name, owner.Name),
	}
}

// occupies reports whether the pod takes capacity of a node: bound and not finished.
func (p *Pod) occupies() bool {
	return p != nil && p.Object.Spec.NodeName != "" && !Finished(p.Object)
}

// Bound reports whether the pod has a node.
func (p *Pod) Bound() bool { return p.Object.Spec.NodeName != "" }

// Finished reports whether all containers ended for good.
func (p *Pod) Finished() bool { return Finished(p.Object) }

// Finished reports whether all containers of the pod ended for good.
func Finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// OfDaemonSet reports whether a DaemonSet controls the pod.
func OfDaemonSet(pod *corev1.Pod) bool {
	by := metav1.GetControllerOfNoCopy(pod)
	return by != nil && by.Kind == "DaemonSet"
}

// waits reports whether the pod is pending: it has no node, or it has one
// and did not start there. One that is being deleted from its node is not waited for.
func waits(pod *corev1.Pod) bool {
	switch {
	case Finished(pod):
		return false
	case pod.Spec.NodeName == "":
		return true
	default:
		return pod.DeletionTimestamp == nil && !Started(pod)
	}
}

// Started reports whether every container of a bound pod was started at least once.
// Phase Pending says that one was not; a container that is still waiting and has
// never ended says so too where the phase is behind.
func Started(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodPending || pod.Status.Phase == "" {
		return false
	}
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range statuses {
			if neverStarted(&statuses[i]) {
				return false
			}
		}
	}
	return true
}

func neverStarted(status *corev1.ContainerStatus) bool {
	return status.State.Waiting != nil && status.LastTerminationState.Terminated == nil && status.RestartCount == 0
}

// OwnerOf is the pod's controller. A ReplicaSet that bears the pod's template
// hash was made by a Deployment, whose name is the part before the hash.
func OwnerOf(pod *corev1.Pod) Owner {
	controller := metav1.GetControllerOfNoCopy(pod)
	if controller == nil {
		return Owner{}
	}
	owner := Owner{Kind: controller.Kind, Name: controller.Name, UID: controller.UID}
	hash := pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	if deployment, cut := strings.CutSuffix(owner.Name, "-"+hash); cut && hash != "" && owner.Kind == "ReplicaSet" {
		owner.Kind, owner.Name = "Deployment", deployment
	}
	return owner
}
