// Package table is a table of rows of any kind: its columns share the width, the
// selected row keeps its line while others appear and disappear, and cells that change
// while they are in view are highlighted.
package table

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Gutter is the width of the cursor, the mark and a blank.
const Gutter = 3

// Table shows rows of R, of which it draws only those in view. The selected row
// is kept by its id, and on its line of the screen, while others appear and disappear.
type Table[R any] struct {
	Columns       Columns[R]
	ID            func(R) string
	Rows          []R
	Gone          map[string]bool         // rows in view whose object vanished; until settle
	unmatched     map[string]bool         // rows in view that the filter no longer keeps; until settle
	There         func(R) (R, bool)       // the row as it is now, if its object is still there; nil: what is not among the rows is gone
	Covers        func(row, other R) bool // whether a row shows what another one that is still there does, which then is left out; nil: none does
	Marks         Marks
	Chosen, Top   int // index of the selected row, and of the first in view
	Highlights    Highlights
	Blurred       bool // the cursor is in another part of the page
	Width, Height int  // the head takes one line of the height
	Beside        bool // something stands beside it: it has the columns of usual terminals, however little is left
	Widths        []int
	Wide          bool  // every column, whatever the width
	Few           bool  // neither extra columns nor those of a wider terminal
	shift         int   // columns after the first that are scrolled out at the left
	Letters       bool  // show which letter sorts by which column
	Sorted        int   // the column that rows are sorted by; -1 is their own order
	Own           Order // which way their own order goes
	Reversed      bool
	Descending    bool         // rows are sorted from the largest on
	Outdated      func(R) bool // whether what the row says may be another by now; nil: it never is
}

// Order is which way rows go that are sorted by no column.
type Order int

// The orders. Unordered rows have no arrow: their order is that of a tree, or of time.
const (
	Unordered Order = iota
	Rising
	Falling
)

// New makes a table of columns; id identifies rows.
func New[R any](id func(R) string, columns ...Column[R]) *Table[R] {
	t := &Table[R]{ID: id, Gone: map[string]bool{}, unmatched: map[string]bool{}, Marks: Marks{}, Sorted: -1}
	t.SetColumns(columns...)
	return t
}

// SetColumns draws other columns of the same rows. The column that rows are sorted by is
// the one of the same field.
func (t *Table[R]) SetColumns(columns ...Column[R]) {
	if t.Sorted >= 0 {
		field := t.Columns[t.Sorted].Field
		t.Sorted = slices.IndexFunc(columns, func(c Column[R]) bool { return c.Field != "" && c.Field == field })
	}
	t.Columns = columns
	t.Widths = make([]int, len(columns))
	for i := range columns {
		t.Widths[i] = columns[i].least()
	}
	t.Highlights.Forget()
	t.Grow()
}

// Lines is how many rows fit.
func (t *Table[R]) Lines() int { return max(t.Height-1, 1) }

// InView are the rows that are drawn.
func (t *Table[R]) InView() []R {
	return t.Rows[t.Top:min(t.Top+t.Lines(), len(t.Rows))]
}

// Selected is the row under the cursor.
func (t *Table[R]) Selected() (row R, ok bool) {
	if t.Chosen >= len(t.Rows) {
		return row, false
	}
	return t.Rows[t.Chosen], true
}

// SelectedGone reports whether the row under the cursor has vanished.
func (t *Table[R]) SelectedGone() bool {
	row, ok := t.Selected()
	return ok && t.Gone[t.ID(row)]
}

// Resize sets the size of the table, its head included.
func (t *Table[R]) Resize(width, height int) {
	t.Width, t.Height = width, height
	t.Move(0)
}

// Reset shows other rows, as after a new filter: no row is drawn as gone, the
// selected row stays selected if it is among them.
func (t *Table[R]) Reset(rows []R) {
	keep, had := t.Selected()
	line := t.Chosen - t.Top
	t.Rows, t.Chosen, t.Top = rows, 0, 0
	t.forget()
	if had {
		if at := t.index(t.ID(keep), 0); at >= 0 {
			t.Chosen, t.Top = at, at-line
		}
	}
	t.Move(0)
}

// TakeOver shows the rows of another table, with their marks and the cursor.
func (t *Table[R]) TakeOver(from *Table[R]) {
	t.Rows, t.Chosen, t.Top, t.Marks = from.Rows, from.Chosen, from.Top, from.Marks
}

// forget draws no row as gone any more.
func (t *Table[R]) forget() {
	clear(t.Gone)
	clear(t.unmatched)
}

// Hidden says which rows of a table are in view, where there are others: "12 of 40 ↓",
// "13–24 of 40 ↑↓", "29–40 of 40 ↑".
func Hidden[R any](t *Table[R]) string {
	rows, last := len(t.Rows), t.Top+len(t.InView())
	below := ""
	if last < rows {
		below = "↓"
	}
	switch {
	case t.Top > 0:
		return model.FormatCount(t.Top+1) + "–" + model.FormatCount(last) + " of " + model.FormatCount(rows) + " ↑" + below
	case below != "":
		return model.FormatCount(last) + " of " + model.FormatCount(rows) + " " + below
	}
	return ""
}
