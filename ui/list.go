package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// list is a page of one table, with a filter and an order. What is filtered and
// sorted is F; what the table shows of it is R. The page that embeds it says where
// both come from and what they mean.
type list[F, R any] struct {
	page
	self    view
	noun    string // what a row is: pod, node
	table   *table.Table[R]
	natural func() []F              // all of the newest snapshot, in their own order
	fields  func() *query.Fields[F] // what they can be filtered and sorted by
	rows    func([]F) []R           // what the table shows of them
	all     int                     // how many there are before the filter
	filter  string                  // that is asked for
	inForce string                  // that the rows were arranged by
	result  *query.Filtered[F]      // of the filter in force; nil without one
	job     int                     // the newest arrangement that was asked for
	stop    context.CancelFunc      // ends it; nil while none is on its way
	born    func(R) time.Time       // when the age that a row shows began; nil without ages
	stale   bool                    // a newer snapshot came meanwhile
	seeks   func(R) bool            // the row to select once rows are arranged; nil is none
	settled func() tea.Cmd          // what to do once rows are arranged; nil is nothing
	known   func(F) bool            // of a row without explanation: it was asked for in vain; nil: it is to come
}

func (l *list[F, R]) resize(width, height int) {
	l.page.resize(width, height)
	l.table.Few = l.app.Large
	l.table.Resize(width, height)
}

func (l *list[F, R]) body() []string { return l.table.Draw(l.app.styles()) }

// close clears the filter before the page is left.
func (l *list[F, R]) close() (cmd tea.Cmd, done bool) {
	if l.filter == "" {
		return nil, false
	}
	return l.setFilter(""), true
}

// as takes the filter, the order and the width over from another list.
func (l *list[F, R]) as(other *list[F, R]) {
	l.filter, l.table.Sorted, l.table.Reversed, l.table.Wide = other.filter, other.table.Sorted, other.table.Reversed, other.table.Wide
}

func (l *list[F, R]) settle() { l.table.Settle() }

func (l *list[F, R]) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		if l.stop != nil && !msg.shown {
			l.stale = true
			return nil
		}
		if msg.shown {
			return l.arrange(kept)
		}
		return l.arrange(renewed)
	case arrangedMsg[F]:
		return l.onArranged(msg)
	case tea.MouseWheelMsg:
		l.table.Scroll(keymap.Wheel(msg))
	case tea.MouseClickMsg:
		return l.onClick(msg.X, msg.Y)
	}
	return nil
}

// showsYoung reports whether a row in view is so young that its age ticks by the second.
func (l *list[F, R]) showsYoung() bool {
	return l.born != nil && slices.ContainsFunc(l.table.InView(), func(row R) bool {
		born := l.born(row)
		return !born.IsZero() && l.app.observed.at.Sub(born) < young
	})
}

// actList does what every list can; it reports false for the rest.
func (l *list[F, R]) actList(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Sort:
		l.table.Letters = true
		l.app.prompt = &sorting[R]{l.app, l.table, l.sortBy}
	case keymap.Filter:
		l.app.prompt = newFiltering(l)
	case keymap.Reverse:
		l.table.Reversed = !l.table.Reversed
		return l.arrange(anew), true
	default:
		return nil, l.table.Act(do)
	}
	return nil, true
}

// sortBy sorts by a column; by the one that it is sorted by already, the other way round.
func (l *list[F, R]) sortBy(column int) tea.Cmd {
	if l.table.Sorted == column {
		l.table.Reversed = !l.table.Reversed
	} else {
		l.table.Sorted, l.table.Reversed = column, false
	}
	return l.arrange(anew)
}

// onClick selects a row, opens the selected one, or sorts by a head. Rows count
// from the body's first.
func (l *list[F, R]) onClick(x, y int) tea.Cmd {
	if y == 0 {
		if column := l.table.Layout().At(x); column >= 0 {
			return l.sortBy(column)
		}
		return nil
	}
	row := l.table.Top + y - 1
	switch {
	case row >= len(l.table.Rows):
		return nil
	case row == l.table.Chosen:
		return l.app.keyboard.do(keymap.Of(keymap.Open, l.self.places()), l.self)
	}
	l.table.Move(row - l.table.Chosen)
	return nil
}

// note is the selected row's cut text.
func (l *list[F, R]) note() string { return l.table.CutNote(l.width) }
