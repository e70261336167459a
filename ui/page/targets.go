package page

import (
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// Targets are the objects of an action.
type Targets struct {
	Nodes  []*model.Node
	Pods   []*model.Pod
	Around bool   // the rows are the pods: the node is the one that the page is about
	Marked bool   // their rows are marked, not just selected
	Gone   string // why there is none, where the page has none of them any more; "" if it has one
}

// Targeter is a View on which an action may have more objects than the selected one.
type Targeter interface{ Targets() Targets }

// TargetsOf are the objects of an action on a view: the selected or marked ones.
func TargetsOf(v View) Targets {
	if v, ok := v.(Targeter); ok {
		return v.Targets()
	}
	on := v.Selected()
	var t Targets
	if on.Node != nil {
		t.Nodes = []*model.Node{on.Node}
	}
	if on.Pod != nil && on.Pod.Exists() {
		t.Pods = []*model.Pod{on.Pod}
	}
	return t
}

// Names are those of the nodes or pods in words: "std-b-02", "3 nodes".
func (t Targets) Names() string {
	switch {
	case len(t.Nodes) == 1:
		return t.Nodes[0].Name
	case len(t.Nodes) > 1:
		return figures.Count(len(t.Nodes), "node", "nodes")
	case len(t.Pods) == 1:
		return t.Pods[0].FullName()
	}
	return plan.CountPods(len(t.Pods))
}
