package follow

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// inEffect reports whether any of the nodes that an action changes is as the action leaves
// it. known is false where nodes do not show that: of evictions and of gates, and where none
// of the nodes is there.
func inEffect(action plan.Action, s *model.Snapshot) (holds, known bool) {
	names, on := effectOf(action)
	for _, name := range names {
		if node, ok := s.Node(name); ok {
			known, holds = true, holds || on(node)
		}
	}
	return holds, known
}

// effectOf are the nodes that an action changes, and whether one is as the action leaves it;
// none of actions that change no nodes.
func effectOf(action plan.Action) (nodes []string, on func(*model.Node) bool) {
	switch a := action.(type) {
	case plan.Cordon:
		return a.Nodes, func(n *model.Node) bool { return n.Cordoned != a.Off }
	case plan.Taint:
		return a.Nodes, func(n *model.Node) bool {
			return !slices.ContainsFunc(a.Remove, func(r plan.TaintRemoval) bool { return slices.ContainsFunc(n.Object.Spec.Taints, removes(r)) })
		}
	case plan.Label:
		for _, ref := range a.Refs {
			if ref.Resource == "nodes" {
				nodes = append(nodes, ref.Name)
			}
		}
		return nodes, func(n *model.Node) bool {
			for key, value := range a.Set {
				if n.Object.Labels[key] != value {
					return false
				}
			}
			return true
		}
	}
	return nil, nil
}

// removes reports whether a removal is about a taint.
func removes(r plan.TaintRemoval) func(corev1.Taint) bool {
	return func(t corev1.Taint) bool {
		return t.Key == r.Key && (r.Value == nil || t.Value == *r.Value) && (r.Effect == "" || t.Effect == r.Effect)
	}
}
