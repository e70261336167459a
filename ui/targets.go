package ui

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// targets are what an action is about.
type targets struct {
	nodes []*model.Node
	pods  []*model.Pod
	gone  string // the name of the first where all are not there any more; "" if one is
}

// targeter is a view on which an action may be about more than what is selected.
type targeter interface{ targets() targets }

// targetsOf are what an action on a view is about: what is selected, or marked.
func targetsOf(v view) targets {
	if v, ok := v.(targeter); ok {
		return v.targets()
	}
	on := v.selected()
	var t targets
	if on.node != nil {
		t.nodes = []*model.Node{on.node}
	}
	if on.pod != nil && on.pod.Exists() {
		t.pods = []*model.Pod{on.pod}
	}
	return t
}

func (p *pods) targets() targets {
	rows, gone := p.table.Acted()
	t := targets{pods: rows}
	if gone {
		t.gone = rows[0].FullName()
	}
	return t
}

// targets of Pending are pods that exist: of a row that stands for several, all.
func (p *pending) targets() targets {
	var t targets
	rows, gone := p.table.Acted()
	if gone {
		t.gone = rows[0].pod.FullName()
	}
	for _, row := range rows {
		for _, pod := range row.pods() {
			if pod.Exists() && !slices.Contains(t.pods, pod) {
				t.pods = append(t.pods, pod)
			}
		}
	}
	return t
}

// pods are those that a row stands for.
func (w *waiting) pods() []*model.Pod {
	if w.leaf || w.of == 1 {
		return []*model.Pod{w.pod}
	}
	return w.kind.Pods
}

func (n *nodes) targets() targets {
	rows, gone := n.table.Acted()
	t := targets{nodes: rows}
	if gone {
		t.gone = rows[0].Name
	}
	return t
}

// targets of the page about a node are that node, and the pods that are selected.
func (p *notHere) targets() targets {
	var t targets
	if node, ok := p.app.observed.snapshot.Node(p.node); ok {
		t.nodes = []*model.Node{node}
	}
	if p.gone() {
		t.gone = p.node
	}
	rows, _ := p.table.Acted()
	for _, row := range rows {
		t.pods = append(t.pods, row.kind.Pods...)
	}
	return t
}

// targets of a group's page are its nodes, or the pod that the cursor is on.
func (p *groupPage) targets() targets {
	if on := p.selected(); on.pod != nil {
		return targets{pods: []*model.Pod{on.pod}}
	}
	var t targets
	rows, gone := p.table.Acted()
	if gone {
		t.gone = rows[0].node.Name
	}
	for _, row := range rows {
		t.nodes = append(t.nodes, row.node)
	}
	return t
}

// targets of Why are the nodes of the selected group, and the page's pod.
func (w *whyView) targets() targets {
	var t targets
	if w.pod.Exists() {
		t.pods = []*model.Pod{w.pod}
	}
	if w.draw.Gone {
		t.gone = w.pod.FullName()
	}
	on := w.selected()
	if on.node != nil {
		t.nodes, t.pods = []*model.Node{on.node}, nil
		return t
	}
	g, ok := w.draw.Openable()
	if w.draw.Report == nil || !ok || why.OverAll(g) {
		return t
	}
	for _, name := range g.Nodes {
		if node, ok := w.app.observed.snapshot.Node(name); ok {
			t.nodes = append(t.nodes, node)
		}
	}
	return t
}

// of are those that one action is about: nodes or pods.
func (t targets) of(do keymap.Action) targets {
	if slices.Contains(onNodes, do) || slices.Contains(onEither, do) && len(t.nodes) > 0 {
		return targets{nodes: t.nodes, gone: t.gone}
	}
	return targets{pods: t.pods, gone: t.gone}
}

// nodeNames are the names of nodes.
func nodeNames(nodes []*model.Node) []string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = node.Name
	}
	return names
}

// podRefs name these very pods.
func podRefs(pods []*model.Pod) []model.Ref {
	refs := make([]model.Ref, len(pods))
	for i, pod := range pods {
		refs[i] = pod.Ref()
	}
	return refs
}

// names are those of the nodes or pods in words: "std-b-02", "3 nodes".
func (t targets) names() string {
	switch {
	case len(t.nodes) == 1:
		return t.nodes[0].Name
	case len(t.nodes) > 1:
		return figures.Count(len(t.nodes), "node", "nodes")
	case len(t.pods) == 1:
		return t.pods[0].FullName()
	}
	return plan.CountPods(len(t.pods))
}
