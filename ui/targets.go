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
