package ui

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

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
