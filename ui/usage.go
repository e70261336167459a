package ui

import (
	tea "charm.land/bubbletea/v2"
)

// measurer is a view that may show usage.
type measurer interface{ showsUsage() bool }

func (n *nodes) showsUsage() bool { return n.barsShown() }
func (p *pods) showsUsage() bool  { return p.width >= 120 || p.table.Wide }

// wantUsage tells the cluster whether usage is on screen, when that changes.
func (a *App) wantUsage() tea.Cmd {
	v, ok := a.history.top().(measurer)
	on := ok && v.showsUsage() && !a.small()
	if on == a.usage || a.Cluster == nil {
		return nil
	}
	a.usage = on
	cluster := a.Cluster
	return func() tea.Msg { cluster.ShowUsage(on); return nil }
}
