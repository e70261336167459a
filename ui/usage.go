package ui

import (
	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// measurer is a view that may show usage.
type measurer interface{ showsUsage() bool }

func (n *nodes) showsUsage() bool { return n.barsShown() }
func (p *pods) showsUsage() bool  { return p.width >= 120 || p.table.Wide }

// wantUsage tells the cluster whether usage is on screen, when that changes.
func (a *App) wantUsage() tea.Cmd {
	v, ok := a.top().(measurer)
	on := ok && v.showsUsage() && !a.small()
	if on == a.usage || a.Cluster == nil {
		return nil
	}
	a.usage = on
	cluster := a.Cluster
	return func() tea.Msg { cluster.ShowUsage(on); return nil }
}

// used words what metrics say of a pod: ? where there are none for it.
func (a *App) used(p *model.Pod, word func(model.Amount) string) string {
	if a.snapshot.Usage != nil {
		if amount, ok := a.snapshot.Usage.Pods[types.NamespacedName{Namespace: p.Object.Namespace, Name: p.Object.Name}]; ok {
			return word(amount)
		}
	}
	if p.Object.Spec.NodeName == "" {
		return ""
	}
	return "?"
}
