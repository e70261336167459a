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
	calmCells(now time.Time)
	forgetCells()
	watched() bool // since the view was opened
}

func (l *list[F, R]) compareCells(now time.Time) bool { return l.table.Compare(now) }
func (l *list[F, R]) calmCells(now time.Time)         { l.table.Changes.Calm(now) }

// forgetCells begins anew: what changed while nobody looked is no change.
func (l *list[F, R]) forgetCells() { l.table.Changes = table.Changes{} }

func (l *list[F, R]) watched() bool { return l.table.Changes.Seen != nil }

// watchCells looks for cells that changed by what the app has just been told.
func (a *App) watchCells(msg tea.Msg) tea.Cmd {
	v, ok := a.top().(changing)
	if !ok {
		return nil
	}
	switch msg.(type) {
	case snapshotMsg, resultMsg:
		if v.compareCells(a.at) {
			return a.after(table.ChangedFor, func(time.Time) tea.Msg { return changedMsg{} })
		}
	case changedMsg:
		v.calmCells(a.at)
	default:
		if !v.watched() {
			v.compareCells(a.at)
		}
	}
	return nil
}
