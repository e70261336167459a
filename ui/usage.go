package ui

import tea "charm.land/bubbletea/v2"

// measurer is a view that may show usage.
type measurer interface{ ShowsUsage() bool }

// wantUsage tells the cluster when usage appears on the screen or leaves it.
func (a *App) wantUsage() tea.Cmd {
	v, ok := a.history.top().(measurer)
	on := ok && v.ShowsUsage() && !a.small()
	if on == a.usage || a.Cluster == nil {
		return nil
	}
	a.usage = on
	cluster := a.Cluster
	return func() tea.Msg { cluster.ShowUsage(on); return nil }
}
