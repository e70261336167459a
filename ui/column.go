package ui

import (
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// column is one column of a table of R.
type column[R any] struct {
	head  string
	gap   int            // blanks before it; 0 is two
	min   int            // cells at least
	max   int            // cells at most; 0 is as many as it needs
	from  int            // the terminal's width from which it is drawn; 0 is always
	extra bool           // left out where there are to be few columns
	right bool           // its figures end in one line
	flex  bool           // takes the room that the others leave, and gives way first
	names bool           // loses its middle, not its end
	state bool           // is about the row's object as it is now: where that is gone it says so
	left  func(R) string // says what became of the object then; nil: it is gone
	ticks bool           // an age: that it moves on is no change
	text  func(R) cell   // what stands in it
	field string         // what sorts it, among the fields of the filter; "" is nothing
}

// cell is what stands in one column of one row, plain. It is cleaned when drawn.
type cell struct {
	text   string
	tone   tone.Tone
	styled func(*themes.Styles) string // draws it instead, as wide as text
}

// before is the room in front of the column.
func (c *column[R]) before() int {
	if c.gap > 0 {
		return c.gap
	}
	return 2
}

// least is the narrowest that the column is drawn.
func (c *column[R]) least() int { return max(c.min, cells.Width(c.head)) }

// fill pads text to the column's width, or cuts it.
func (c *column[R]) fill(text string, width int) string {
	switch {
	case c.names:
		return cells.Left(cells.CutMiddle(text, width), width)
	case c.right:
		return cells.Right(text, width)
	}
	return cells.Left(text, width)
}

// atMost keeps a width within the column's.
func (c *column[R]) atMost(width int) int {
	if c.max > 0 {
		return min(width, c.max)
	}
	return width
}
