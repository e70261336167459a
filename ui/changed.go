package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// changedMsg says that highlights may end.
type changedMsg struct{}

// changing is a view that highlights changed cells.
type changing interface {
	CompareCells(now time.Time) bool
	Changes() *table.Changes
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
		v.Changes().Calm(a.observed.At)
	default:
		if !v.Changes().Watched() {
			v.CompareCells(a.observed.At)
		}
	}
	return nil
}
