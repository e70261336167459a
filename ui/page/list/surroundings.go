package list

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Around is what stands around the table of a list: a row over it, and a preview of the
// selected row under it or, on a wide screen, beside it. Each keeps its place while its
// text is not known yet.
type Around struct {
	Above  func() string           // the row over the table, such as gauges; nil is none
	Head   Head                    // more rows over it, as the preview is; nil is none
	Below  func(rows int) []string // the preview, in exactly so many rows; nil is none
	Alone  bool                    // After stands where nothing is above and below, too
	After  func(rows int) []string // what follows the last row where rows are free, in at most so many; nil is none
	Most   int                     // rows of the preview under the table, at most; 0 is the lower half
	Least  int                     // cells of the preview beside the table, at least; 0 is leastBeside
	over   int                     // rows over the table
	under  int                     // rows under it
	beside int                     // cells beside it
}

// Head draws what a list is about, over it.
type Head interface {
	// Rows is how many rows it takes on a page of a size.
	Rows(width, height int) int
	// Draw draws it in so many.
	Draw(width, rows int) []string
}

const (
	// leastOver is the height of a page from which there is a row over the table.
	leastOver = 12
	// leastUnder is the height from which there is a preview: so many rows remain for the
	// table that a dozen rows of the list are shown.
	leastUnder = 20
	// underRows are those of a preview with its rule; from halfFrom on it has the lower half.
	underRows = 6
	halfFrom  = 36
	// besideFrom is the width from which the preview stands beside the table. It gets what the table does
	// not need: at least leastBeside, and a part of the cells beyond besideFrom, at most two fifths.
	besideFrom  = 160
	leastBeside = 42
	// between is what stands between the table and a preview beside it.
	between = " │ "
)

// Fit shares the size of a page out: between its table, and what stands around that.
func Fit[F, R any](l *Page[F, R]) {
	need := func(width int) int { return table.Need(l.Table, width) }
	for range 2 { // columns widen to their texts once they are shown
		width, height := l.Around.fit(l.Width, l.Height, l.Host.Large(), l.Host.Preview(), need)
		l.Table.Beside = l.Around.beside > 0
		l.Table.Resize(width, height)
		if l.Around.beside == 0 {
			return
		}
	}
}

// fit shares the size of a page out, and gives what the table gets. need is how many cells a table
// needs that may get so many.
func (a *Around) fit(width, height int, large, preview bool, need func(int) int) (tableWidth, tableHeight int) {
	a.over, a.under, a.beside = 0, 0, 0
	if large {
		return width, height
	}
	if a.Above != nil && height >= leastOver {
		a.over = 1
	}
	if a.Head != nil && preview {
		a.over += a.Head.Rows(width, height)
	}
	switch {
	case a.Below == nil || !preview || height < leastUnder:
	case width >= besideFrom:
		least, most := cmp.Or(a.Least, leastBeside)+(width-besideFrom)/4, width*2/5
		width -= cells.Width(between)
		a.beside = min(max(width-need(width-least), least), most)
		width -= a.beside
	case height < halfFrom:
		a.under = underRows
	default:
		a.under = height / 2
		if a.Most > 0 {
			a.under = min(a.under, a.Most)
		}
	}
	return width, height - a.over - a.under
}

// HasBelow reports whether the preview is shown.
func (a *Around) HasBelow() bool { return a.under+a.beside > 0 }

// HasHead reports whether the head is shown.
func (a *Around) HasHead() bool { return a.over > 1 }

// WidthBelow is the width of the preview on a page of a width.
func (a *Around) WidthBelow(width int) int {
	if a.beside > 0 {
		return a.beside
	}
	return width
}

// Join puts what stands around them to the rows of a table of a size. The rule of a preview
// says how many rows are hidden.
func (a *Around) Join(rows []string, width, height int, hidden string, s *themes.Styles) []string {
	if a.bare() {
		return rows
	}
	if free := a.Free(len(rows), height); a.After != nil && free > 0 {
		if after := a.After(free); len(after) > 0 {
			rows = append(append(slices.Clone(rows), ""), after...)
		}
	}
	joined := make([]string, 0, a.over+height+a.under)
	above := a.over
	if a.Above != nil && above > 0 {
		joined = append(joined, a.Above())
		above--
	}
	if above > 0 {
		joined = append(joined, a.Head.Draw(width, above)...)
	}
	if a.beside > 0 {
		return append(joined, beside(rows, a.Below(height), width, s)...)
	}
	joined = append(joined, rows...)
	if a.under == 0 {
		return joined
	}
	for len(joined) < a.over+height {
		joined = append(joined, "")
	}
	below := a.Below(a.under)
	if hidden != "" {
		below[0] = ruled(below[0], width, " "+hidden, s)
	}
	return append(joined, below...)
}

// beside puts a preview beside the rows of a table of a width. Rows of wide columns are cut there.
func beside(rows, preview []string, width int, s *themes.Styles) []string {
	rule := s.Rule.Render(between)
	joined := make([]string, len(preview))
	for i := range preview {
		row := ""
		if i < len(rows) {
			row = rows[i]
		}
		if cells.Width(row) > width {
			row = cells.CutRow(row, width)
		}
		joined[i] = row + cells.Blank(width-cells.Width(row)) + rule + preview[i]
	}
	return joined
}

// Free is how many rows of a table's height can be used after a blank one that follows its rows,
// the head among them.
func (a *Around) Free(rows, height int) int {
	if a.bare() {
		return 0
	}
	return max(height-rows-1, 0)
}

// bare reports whether nothing stands around the rows.
func (a *Around) bare() bool { return a.over+a.under+a.beside == 0 && !a.Alone }

// ruled is a rule with words at its end.
func ruled(rule string, width int, words string, s *themes.Styles) string {
	room := width - cells.Width(words) - 1
	short := ansi.Truncate(rule, room, "")
	if strings.Trim(ansi.Strip(ansi.TruncateLeft(rule, room, "")), "─ ") != "" {
		short = cells.Cut(rule, room)
	}
	return short + cells.Blank(room-cells.Width(short)) + s.Dim.Render(words)
}
