// Package list is a page of one table that is filtered and sorted.
package list

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Page is a page of one table, with a filter and an order. What is filtered and
// sorted is F; what the table shows of it is R. The page that embeds it says where
// both come from and what they mean.
type Page[F, R any] struct {
	page.Base
	Self    page.View // the page that embeds it
	Noun    string    // what a row is: pod, node
	Table   *table.Table[R]
	Natural func() []F              // all of the newest snapshot, in their own order
	Fields  func() *query.Fields[F] // what they can be filtered and sorted by
	Rows    func([]F) []R           // what the table shows of them
	All     int                     // how many there are before the filter
	Filter  string                  // that is asked for
	InForce string                  // that the rows were arranged by
	Result  *query.Filtered[F]      // of the filter in force; nil without one
	job     int                     // the newest arrangement that was asked for
	stop    context.CancelFunc      // ends it; nil while none is on its way
	Born    func(R) time.Time       // when the age that a row shows began; nil without ages
	stale   bool                    // a newer snapshot came meanwhile
	Seeks   func(R) bool            // the row to select once rows are arranged; nil is none
	Settled func() tea.Cmd          // what to do once rows are arranged; nil is nothing
	Around  Around                  // what stands around the table
	Known   func(F) bool            // of a row without explanation: asking for it failed; nil: it is pending
}

// Resize implements page.View.
func (l *Page[F, R]) Resize(width, height int) {
	l.Base.Resize(width, height)
	l.Table.Few = l.Host.Large()
	Fit(l)
}

// Body implements page.View.
func (l *Page[F, R]) Body() []string {
	return l.Around.Join(l.Table.Draw(l.Host.Styles()), l.Table.Width, l.Table.Height, table.Hidden(l.Table), l.Host.Styles())
}

// Close clears the filter before the page is left.
func (l *Page[F, R]) Close() (cmd tea.Cmd, done bool) {
	if l.Filter == "" {
		return nil, false
	}
	return l.Query().SetFilter(""), true
}

// Settle lets go of rows whose objects are gone.
func (l *Page[F, R]) Settle() { l.Table.Settle() }

// Update implements page.View.
func (l *Page[F, R]) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		if l.stop != nil && !msg.Shown {
			l.stale = true
			return nil
		}
		if msg.Shown {
			return l.Query().Arrange(Kept)
		}
		return l.Query().Arrange(Renewed)
	case arrangedMsg[F]:
		return l.Query().onArranged(msg)
	case tea.MouseWheelMsg:
		l.Table.Scroll(keymap.Wheel(msg))
	case tea.MouseClickMsg:
		return l.OnClick(msg.X, msg.Y-l.Around.over)
	}
	return nil
}

// ShowsYoung reports whether a row in view is so young that its age ticks by the second.
func (l *Page[F, R]) ShowsYoung() bool {
	return l.Born != nil && slices.ContainsFunc(l.Table.InView(), func(row R) bool {
		born := l.Born(row)
		return !born.IsZero() && l.Host.Observed().At.Sub(born) < page.Young
	})
}

// ActList does what every list can; it reports false for the rest.
func (l *Page[F, R]) ActList(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Sort:
		l.Table.Letters = true
		l.Host.Input(&sorting[R]{l.Host, l.Table, l.Query().SortBy})
	case keymap.Filter:
		l.Host.Input(newFiltering(l))
	case keymap.Reverse:
		l.Table.Reversed = !l.Table.Reversed
		return l.Query().Arrange(FromTop), true
	default:
		done = l.Table.Act(do)
		Fit(l) // rows with longer names may have come into view
		return nil, done
	}
	return nil, true
}

// OnClick selects a row, opens the selected one, or sorts by a head. Rows count
// from the body's first.
func (l *Page[F, R]) OnClick(x, y int) tea.Cmd {
	if x >= l.Table.Width { // on the preview
		return nil
	}
	if y == 0 {
		if column := l.Table.Layout().At(x); column >= 0 {
			return l.Query().SortBy(column)
		}
		return nil
	}
	row := l.Table.Top + y - 1
	switch {
	case y < 0: // over the table
		return nil
	case row >= len(l.Table.Rows), y >= l.Table.Height:
		return nil
	case row == l.Table.Chosen:
		return l.Host.Press(keymap.Open, l.Self)
	}
	l.Table.Move(row - l.Table.Chosen)
	return nil
}

// Note is the selected row's cut text, and how many rows are hidden.
func (l *Page[F, R]) Note() string {
	hidden := Hidden(l)
	return page.WithHidden(l.Table.CutNote(page.NoteWidth(l.Width, hidden)), hidden, l.Width)
}

// Hidden says how many rows a list has, where some are hidden below and no rule says so.
func Hidden[F, R any](l *Page[F, R]) string {
	if l.Around.under > 0 {
		return ""
	}
	return table.Hidden(l.Table)
}

// CompareCells looks for cells that changed, to highlight them; it reports whether there
// are any.
func (l *Page[F, R]) CompareCells(now time.Time) bool { return l.Table.Compare(now) }

// Highlights are the highlighted cells.
func (l *Page[F, R]) Highlights() *table.Highlights { return &l.Table.Highlights }

// Airy says that there can be a blank line between the rows.
func (l *Page[F, R]) Airy() {}
