package table

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Column is one column of a table of R.
type Column[R any] struct {
	Head  string
	Gap   int            // blanks before it; 0 is two
	Inset int            // blanks before the head, where cells begin with a mark
	Min   int            // cells at least
	Max   int            // cells at most; 0 is as many as it needs
	From  int            // the terminal's width from which it is drawn; 0 is always
	Extra bool           // left out where there are to be few columns
	Right bool           // its figures end in one line
	Flex  bool           // takes the room that the others leave, and gives way first
	Names bool           // loses its middle, not its end
	Zones bool           // loses its beginning: the ends of zones tell them apart
	Prose bool           // long names in it give way before its end
	State bool           // is about the row's object as it is now: where that is gone it says so
	Left  func(R) string // says what became of the object then; nil: it is gone
	Ticks bool           // an age: that it moves on is no change
	Text  func(R) Cell   // what stands in it
	Bar   *Bar[R]        // draws it as wide as there is room, nil: its width is that of its text
	Keep  int            // where columns are left out, those with less go first
	Field string         // the field of the filter that sorts it; "" is none
}

// Bar is how wide a column with a bar is drawn. It takes what other columns leave, and gives way before
// names are cut and columns are left out.
type Bar[R any] struct {
	Least int // cells, where a column would be left out otherwise, or a name cut
	Good  int // cells, where the column that takes the rest would be cut otherwise
	Most  int // cells, where no column is cut
	Draw  func(row R, width int) Cell
}

// Columns are those of a table, from left to right.
type Columns[R any] []Column[R]

// Cell is the content of one column of one row, plain. It is cleaned when drawn.
type Cell struct {
	Text    string
	Tone    tone.Tone
	Styled  func(*themes.Styles) string // draws it instead, as wide as text
	Ageless string                      // the text without the age in it: that an age moves on is no change; "" is text
}

// Before is the gap in front of the column.
func (c *Column[R]) Before() int {
	if c.Gap > 0 {
		return c.Gap
	}
	return 2
}

// least is the narrowest that the column is drawn.
func (c *Column[R]) least() int { return max(c.Min, c.Inset+cells.Width(c.Head)) }

// fill pads text to the column's width, or cuts it.
func (c *Column[R]) fill(text string, width int) string {
	switch {
	case c.Names:
		return cells.Left(cells.CutName(text, width), width)
	case c.Zones:
		return cells.Left(cells.CutStart(text, width), width)
	case c.Prose:
		return prose(cells.CutNames(text, width), width)
	case c.Right:
		return cells.Right(text, width)
	}
	return cells.Left(text, width)
}

// prose pads a text to a width, or cuts it; a clause that is whole does not lead to one that is not there.
func prose(text string, width int) string {
	short := cells.Cut(text, width)
	if cells.Width(text) > width {
		short = strings.TrimSuffix(strings.TrimSuffix(short, "…"), ":") + "…"
	}
	return cells.Left(short, width)
}

// atMost keeps a width within the column's.
func (c *Column[R]) atMost(width int) int {
	if c.Max > 0 {
		return min(width, c.Max)
	}
	return width
}

// Letter is the place in a column's head of the letter that sorts by it, the first
// that no column before it uses; -1 where there is none.
func (c Columns[R]) Letter(column int) int {
	taken := ""
	for i := range c {
		head := strings.ToLower(c[i].Head)
		if c[i].Field == "" {
			head = ""
		}
		at := strings.IndexFunc(head, func(r rune) bool {
			return 'a' <= r && r <= 'z' && !strings.ContainsRune(taken, r)
		})
		if i == column {
			return at
		}
		if at >= 0 {
			taken += head[at : at+1]
		}
	}
	return -1
}

// ByLetter is the column that a letter sorts by; -1 if none.
func (c Columns[R]) ByLetter(letter string) int {
	for i := range c {
		if at := c.Letter(i); at >= 0 && strings.EqualFold(c[i].Head[at:at+1], letter) {
			return i
		}
	}
	return -1
}
