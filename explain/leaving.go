package explain

import (
	"fmt"
	"slices"
	"time"

	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// leaving is how long after its deletion a pod may still be in the scheduler's
// queue: five minutes until the queue takes up what nothing else has moved, half
// a minute between two looks for such pods, and the back-off.
const leaving = 6 * time.Minute

// noteLeaving notes pods that the scheduler may still reserve capacity for, because
// it has not come upon them since they were deleted: nothing in the API says whether
// it has.
func (x *explanation) noteLeaving() {
	pod := x.question.Pod
	state := x.scheduler.State
	nodes := state.NominatedNodes()
	slices.Sort(nodes)
	for _, node := range nodes {
		for _, info := range state.Nominated(node) {
			other := state.Pods[info.GetPod().UID]
			if other == nil || other.UID == pod.UID || !scheduler.LeavesQueue(other) || x.question.Now.Sub(other.DeletionTimestamp.Time) > leaving ||
				corev1helpers.PodPriority(other) < corev1helpers.PodPriority(pod) {
				continue
			}
			x.caveat(fmt.Sprintf("%s is nominated to %s and is being deleted: kube-scheduler may reserve capacity for it there for some more minutes", plugins.FullName(other), node))
		}
	}
}
