package ui

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// targets are the objects of an action.
type targets struct {
	nodes []*model.Node
	pods  []*model.Pod
	gone  string // the name of the first where none of them exists any more; "" if one does
}

// targeter is a view on which an action may have more objects than the selected one.
type targeter interface{ Targets() targets }

// targetsOf are the objects of an action on a view: the selected or marked ones.
func targetsOf(v page.View) targets {
	if v, ok := v.(targeter); ok {
		return v.Targets()
	}
	on := v.Selected()
	var t targets
	if on.Node != nil {
		t.nodes = []*model.Node{on.Node}
	}
	if on.Pod != nil && on.Pod.Exists() {
		t.pods = []*model.Pod{on.Pod}
	}
	return t
}

func (p *pods) Targets() targets {
	rows, gone := p.Table.Acted()
	t := targets{pods: rows}
	if gone {
		t.gone = rows[0].FullName()
	}
	return t
}

// Targets of Pending are pods that exist: all pods of a row that stands for several.
func (p *pending) Targets() targets {
	var t targets
	rows, gone := p.Table.Acted()
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

func (n *nodes) Targets() targets {
	rows, gone := n.Table.Acted()
	t := targets{nodes: rows}
	if gone {
		t.gone = rows[0].Name
	}
	return t
}

// Targets of the page about a node are that node, and the pods that are selected.
func (p *nodeFit) Targets() targets {
	var t targets
	if node, ok := p.app.observed.Snapshot.Node(p.node); ok {
		t.nodes = []*model.Node{node}
	}
	if p.gone() {
		t.gone = p.node
	}
	rows, _ := p.Table.Acted()
	for _, row := range rows {
		t.pods = append(t.pods, row.kind.Pods...)
	}
	return t
}

// Targets of a group's page are its nodes, or the pod that the cursor is on.
func (p *groupPage) Targets() targets {
	if on := p.Selected(); on.Pod != nil {
		return targets{pods: []*model.Pod{on.Pod}}
	}
	var t targets
	rows, gone := p.Table.Acted()
	if gone {
		t.gone = rows[0].node.Name
	}
	for _, row := range rows {
		t.nodes = append(t.nodes, row.node)
	}
	return t
}

// Targets of Why are the nodes of the selected group, and the page's pod.
func (w *whyView) Targets() targets {
	var t targets
	if w.pod.Exists() {
		t.pods = []*model.Pod{w.pod}
	}
	if w.draw.Gone {
		t.gone = w.pod.FullName()
	}
	on := w.Selected()
	if on.Node != nil {
		t.nodes, t.pods = []*model.Node{on.Node}, nil
		return t
	}
	g, ok := w.draw.Openable()
	if w.draw.Report == nil || !ok || g.OverAll() {
		return t
	}
	for _, name := range g.Nodes {
		if node, ok := w.app.observed.Snapshot.Node(name); ok {
			t.nodes = append(t.nodes, node)
		}
	}
	return t
}

// of are those of one action: nodes or pods.
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
