package ui

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

func (p *pods) Targets() page.Targets {
	rows, gone := p.Table.Acted()
	t := page.Targets{Pods: rows}
	if gone {
		t.Gone = rows[0].FullName()
	}
	return t
}

// Targets of Pending are pods that exist: all pods of a row that stands for several.
func (p *pending) Targets() page.Targets {
	var t page.Targets
	rows, gone := p.Table.Acted()
	if gone {
		t.Gone = rows[0].pod.FullName()
	}
	for _, row := range rows {
		for _, pod := range row.pods() {
			if pod.Exists() && !slices.Contains(t.Pods, pod) {
				t.Pods = append(t.Pods, pod)
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

func (n *nodes) Targets() page.Targets {
	rows, gone := n.Table.Acted()
	t := page.Targets{Nodes: rows}
	if gone {
		t.Gone = rows[0].Name
	}
	return t
}

// Targets of the page about a node are that node, and the pods that are selected.
func (p *nodeFit) Targets() page.Targets {
	var t page.Targets
	if node, ok := p.app.observed.Snapshot.Node(p.node); ok {
		t.Nodes = []*model.Node{node}
	}
	if p.gone() {
		t.Gone = p.node
	}
	rows, _ := p.Table.Acted()
	for _, row := range rows {
		t.Pods = append(t.Pods, row.kind.Pods...)
	}
	return t
}

// Targets of a group's page are its nodes, or the pod that the cursor is on.
func (p *groupPage) Targets() page.Targets {
	if on := p.Selected(); on.Pod != nil {
		return page.Targets{Pods: []*model.Pod{on.Pod}}
	}
	var t page.Targets
	rows, gone := p.Table.Acted()
	if gone {
		t.Gone = rows[0].node.Name
	}
	for _, row := range rows {
		t.Nodes = append(t.Nodes, row.node)
	}
	return t
}

// Targets of Why are the nodes of the selected group, and the page's pod.
func (w *whyView) Targets() page.Targets {
	var t page.Targets
	if w.pod.Exists() {
		t.Pods = []*model.Pod{w.pod}
	}
	if w.draw.Gone {
		t.Gone = w.pod.FullName()
	}
	on := w.Selected()
	if on.Node != nil {
		t.Nodes, t.Pods = []*model.Node{on.Node}, nil
		return t
	}
	g, ok := w.draw.Openable()
	if w.draw.Report == nil || !ok || g.OverAll() {
		return t
	}
	for _, name := range g.Nodes {
		if node, ok := w.app.observed.Snapshot.Node(name); ok {
			t.Nodes = append(t.Nodes, node)
		}
	}
	return t
}
