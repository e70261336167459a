package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Ages are updated every 10 s; young ones, and those of a lost connection, every second.
const (
	calm  = 10 * time.Second
	brisk = time.Second
)

// tickMsg updates the ages. Only the newest tick that was asked for counts.
type tickMsg struct{ nth int }

// ticker asks for the ticks that update ages.
type ticker struct {
	app   *App
	nth   int // the newest tick that was asked for
	every time.Duration
}

// ager is a view that shows ages; it says whether one of them is young.
type ager interface{ ShowsYoung() bool }

// tick asks for the next tick, unless one comes soon enough already.
func (t *ticker) tick() tea.Cmd {
	every := calm
	if v, ok := t.app.history.top().(ager); ok && v.ShowsYoung() && !t.app.observed.IsSnapshot() || t.app.observed.Lost() || t.app.contexts.isConnecting() || t.app.follows.waiting() {
		every = brisk
	}
	if t.every != 0 && t.every <= every {
		return nil
	}
	t.every = every
	t.nth++
	nth := t.nth
	return t.app.after(every, func(time.Time) tea.Msg { return tickMsg{nth} })
}

func (t *ticker) onTick(msg tickMsg) tea.Cmd {
	if msg.nth != t.nth {
		return nil
	}
	t.every = 0
	return tea.Batch(t.app.follows.look(), t.app.history.top().Update(page.TickMsg{}))
}

// changedMsg says that highlights may end.
type changedMsg struct{}

// changing is a view that highlights changed cells.
type changing interface {
	CompareCells(now time.Time) bool
	Highlights() *table.Highlights
}

// watchCells looks for cells that changed by a message.
func (a *App) watchCells(msg tea.Msg) tea.Cmd {
	v, ok := a.history.top().(changing)
	if !ok {
		return nil
	}
	switch msg.(type) {
	case snapshotMsg, resultMsg:
		if v.CompareCells(a.observed.At) {
			return a.after(table.ChangedFor, func(time.Time) tea.Msg { return changedMsg{} })
		}
	case changedMsg:
		v.Highlights().Calm(a.observed.At)
	default:
		if !v.Highlights().Watched() {
			v.CompareCells(a.observed.At)
		}
	}
	return nil
}

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
