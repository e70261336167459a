// Package dialog draws boxes: their frame, lists of which one line is chosen, and text that
// can be read and searched.
package dialog

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Drawn is a box as it is drawn.
type Drawn struct {
	Title, Corner string // the corner may have styles
	Rows          []Row  // at most as many as there is room for
	Inner         int    // cells between the blanks beside the frame
}

// Row is one row of a box.
type Row struct {
	Text   string // with its styles, at most as wide as the box is inside
	Cursor bool
}

// Most is the widest that a box is drawn, with its frame.
const Most = 80

// Room is how wide a box may be inside on a terminal of that width.
func Room(width int) int { return min(width, Most) - 4 }

// Rows is how many rows a box may have on a terminal of that height.
func Rows(height int) int { return height - 2 }

// Frame are the lines of a box, with its frame.
func (b Drawn) Frame(s *themes.Styles) []string {
	title := cells.Cut(b.Title, max(b.Inner-cells.Width(b.Corner)-3, 1))
	rule := b.Inner - cells.Width(title) - cells.Width(b.Corner) - 2
	lines := []string{s.Rule.Render("┌ "+title+" "+strings.Repeat("─", max(rule, 0))+" ") + b.Corner + s.Rule.Render(" ┐")}
	for _, row := range b.Rows {
		begin := "│ "
		if row.Cursor {
			begin = "│" + s.Cursor.Render("▸")
		}
		lines = append(lines, s.Rule.Render(begin)+cells.Left(row.Text, b.Inner)+s.Rule.Render(" │"))
	}
	return append(lines, s.Rule.Render("└"+strings.Repeat("─", b.Inner+2)+"┘"))
}

// List are the lines of a box of which one can be taken: those around the
// chosen one for which there is room, faint where off says that they cannot.
func List(s *themes.Styles, lines []string, chosen int, off func(int) bool, inner, most int) []Row {
	from := max(min(chosen-most+1, len(lines)-most), 0)
	var rows []Row
	for i := from; i < min(from+most, len(lines)); i++ {
		style := s.Text
		switch {
		case i == chosen:
			style = s.Selected
		case off(i):
			style = s.KeyOff
		}
		rows = append(rows, Row{Text: style.Render(cells.Left(lines[i], inner)), Cursor: i == chosen})
	}
	return rows
}
