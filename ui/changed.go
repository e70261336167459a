package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// changedMsg says that cells may be as always again.
type changedMsg struct{}

// changing is a view whose cells are watched.
type changing interface {
	compareCells(now time.Time) bool
	changes() *table.Changes
}

func (l *list[F, R]) compareCells(now time.Time) bool { return l.table.Compare(now) }
func (l *list[F, R]) changes() *table.Changes         { return &l.table.Changes }

// watchCells looks for cells that changed by what the app has just been told.
func (a *App) watchCells(msg tea.Msg) tea.Cmd {
	v, ok := a.history.top().(changing)
	if !ok {
		return nil
	}
	switch msg.(type) {
	case snapshotMsg, resultMsg:
		if v.compareCells(a.observed.at) {
			return a.after(table.ChangedFor, func(time.Time) tea.Msg { return changedMsg{} })
		}
	case changedMsg:
		v.changes().Calm(a.observed.at)
	default:
		if !v.changes().Watched() {
			v.compareCells(a.observed.at)
		}
	}
	return nil
}
