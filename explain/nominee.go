package explain

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// leaving is how long after its deletion a pod may still be in the scheduler's
// queue: five minutes until the queue takes up what nothing else has moved, half
// a minute between two looks for such pods, and the back-off.
const leaving = 6 * time.Minute

// nominee is what a nominated pod counts as on its node. The scheduler takes one
// that is being deleted out of its queue for good when it comes upon it, and
// then knows no more of it than its name: it asks for nothing, has priority 0,
// and is one more pod (PriorityQueue.nominatedPodToInfo).
func nominee(pod *corev1.Pod) fwk.PodInfo {
	if leavesQueue(pod) {
		pod = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Spec:       corev1.PodSpec{SchedulingGroup: pod.Spec.SchedulingGroup},
		}
	}
	info, _ := framework.NewPodInfo(pod) // terms that do not parse count as none, as in the scheduler
	return info
}

// leavesQueue says whether the scheduler will skip a pod without a node. It
// never comes upon one that is gated.
func leavesQueue(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && len(pod.Spec.SchedulingGates) == 0
}

// noteLeaving tells of pods that the scheduler may still keep room for, because
// it has not come upon them since they were deleted: nothing that the API server
// knows says whether it has.
func (x *explanation) noteLeaving() {
	pod := x.question.Pod
	nodes := x.nominator.nodes()
	slices.Sort(nodes)
	for _, node := range nodes {
		for _, info := range x.nominator.NominatedPodsForNode(node) {
			other := x.pods[info.GetPod().UID]
			if other == nil || other.UID == pod.UID || !leavesQueue(other) || x.question.Now.Sub(other.DeletionTimestamp.Time) > leaving ||
				corev1helpers.PodPriority(other) < corev1helpers.PodPriority(pod) {
				continue
			}
			x.caveat(fmt.Sprintf("%s is nominated to %s and is being deleted: the scheduler may keep room for it there for some minutes more", plugins.FullName(other), node))
		}
	}
}
