package explain

import (
	"context"
	"fmt"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// rankedUpTo is how many nodes that fit are ranked only to name the first in an
// answer: ranking costs as much as asking whether they fit.
const rankedUpTo = 1000

// rankFree finds which of the nodes that fit come first. Where that rests on what
// could not be read, none does.
func (x *explanation) rankFree(ctx context.Context, m *scheduler.Matrix) {
	pod, found := x.question.Pod, &x.question.found
	nominated := slices.ContainsFunc(found.free, func(node fwk.NodeInfo) bool { return node.Node().Name == pod.Status.NominatedNodeName })
	if nominated { // the scheduler asks it before all others
		found.first = []string{pod.Status.NominatedNodeName}
		return
	}
	if len(found.free) > rankedUpTo {
		return
	}
	r, err := x.profile.Prioritize(ctx, m.State, pod, found.free)
	if err != nil || len(r.Unread) > 0 {
		return
	}
	found.likely = x.profile.Sample(m.Included()) < len(found.free)
	for _, node := range r.Nodes {
		if node.Tied {
			found.first = append(found.first, node.Node)
		}
	}
}

// firstWords names the node that would be taken, after "It fits 4 nodes now".
func firstWords(q *podQuestion) string {
	var fit []string
	for _, node := range q.found.free {
		fit = append(fit, node.Node().Name)
	}
	first := q.found.first
	likely := ""
	if q.found.likely {
		likely = "likely "
	}
	switch {
	case len(fit) == 1 || len(first) == 0:
		return ": " + grammar.List(fit, grammar.Few)
	case len(first) == len(fit):
		return ", all equal: " + grammar.List(fit, grammar.Few)
	case len(first) > 1:
		return fmt.Sprintf(", %shighest-scoring are %s", likely, grammar.List(first, grammar.Few))
	}
	return ", " + likely + "highest-scoring is " + first[0]
}
