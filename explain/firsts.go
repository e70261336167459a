package explain

import (
	"context"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// rankedUpTo is how many nodes that fit are ranked only to name the first in an
// answer: ranking costs as much as asking whether they fit.
const rankedUpTo = 1000

// rankFree finds which of the nodes that fit come first. Where that rests on what
// could not be read, none does.
func (x *explanation) rankFree(ctx context.Context, m *scheduler.Matrix) {
	pod, found := x.question.Pod, x.facts
	nominated := slices.ContainsFunc(found.Free, func(node fwk.NodeInfo) bool { return node.Node().Name == pod.Status.NominatedNodeName })
	if nominated { // the scheduler asks it before all others
		found.First = []string{pod.Status.NominatedNodeName}
		return
	}
	if len(found.Free) > rankedUpTo {
		return
	}
	r, err := x.profile.Prioritize(ctx, m.State, pod, found.Free)
	if err != nil || len(r.Unread) > 0 {
		return
	}
	found.Likely = x.profile.Sample(m.Included()) < len(found.Free)
	for _, node := range r.Nodes {
		if node.Tied {
			found.First = append(found.First, node.Node)
		}
	}
}
