package report

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Eviction is what would become of a pod that is evicted, and whether a pod that
// waits would then fit the node.
type Eviction struct {
	UID      types.UID // of the pod that is evicted
	Short    string    // for a cell, the point first: "to std-a-01; this pod fits"
	Sentence string    // the same told whole
	Unread   string    // why the budgets that decide about it could not be read; "" if they could
	Fits     *bool     // whether the waiting pod then fits the node; null: not evaluated
}

// NodeAnswer is what the plugins say of one pod on one node.
type NodeAnswer struct {
	UID        types.UID // the pod's
	Fits       *bool     // null: could not be decided
	Rejections []Rejection
	TooSmall   bool          // the pod requests more than the node has allocatable: NodeResourcesFit says that no eviction helps
	Held       string        // why the scheduler looks for no node for the pod at all; "" if it does
	Distance   float64       // how far from a yes: the share of the node's capacity that is missing
	Unknown    []UnknownPart // what could not be read
}

// OnlyNotReady says whether nothing rejects the pod but the taints of a node that is not
// Ready, which the node lifecycle controller removes once it is. Topology spread
// constraints that honor taints may count other nodes then.
func (a *NodeAnswer) OnlyNotReady() bool {
	if a.Held != "" || a.Fits == nil || *a.Fits || len(a.Rejections) == 0 {
		return false
	}
	other := func(t corev1.Taint) bool {
		return t.Key != corev1.TaintNodeNotReady && t.Key != corev1.TaintNodeUnreachable
	}
	for _, rejection := range a.Rejections {
		if len(rejection.Taints) == 0 || slices.ContainsFunc(rejection.Taints, other) {
			return false
		}
	}
	return true
}

// FitRank orders answers: nodes that fit, those of which it is not known (nil), the others.
func FitRank(fits *bool) int {
	switch {
	case fits == nil:
		return 1
	case *fits:
		return 0
	}
	return 2
}

// Compare orders answers about one node, the nearest to a yes first: pods that
// fit, then those of which that is not known, then those that the node is large enough
// for; of these first those that the fewest plugins refuse, then those that lack the
// least. Pods that no scheduler looks at are last.
func (a *NodeAnswer) Compare(b *NodeAnswer) int {
	held := func(a *NodeAnswer) int { return min(len(a.Held), 1) }
	small := func(a *NodeAnswer) int {
		if a.TooSmall {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(held(a), held(b)),
		cmp.Compare(FitRank(a.Fits), FitRank(b.Fits)),
		cmp.Compare(small(a), small(b)),
		cmp.Compare(len(a.Rejections), len(b.Rejections)),
		cmp.Compare(a.Distance, b.Distance),
	)
}

// Words are what keeps the pod off the node, a clause for each plugin.
func (a *NodeAnswer) Words() string {
	g := Group{Rejections: a.Rejections}
	return g.Clauses()
}
