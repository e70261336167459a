package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// dialog is a box that takes all keys while it is open.
type dialog interface {
	key(key tea.KeyPressMsg) tea.Cmd
	paste(text string) tea.Cmd
	// scroll moves what is read by n rows, as the wheel does.
	scroll(n int)
	// resized tells that the terminal has another size.
	resized() tea.Cmd
	// draw lays it out for a terminal of that size.
	draw(width, height int) boxed
}

// boxed is a box as it is drawn.
type boxed struct {
	title, corner string   // the corner may have styles
	rows          []boxRow // at most as many as there is room for
	inner         int      // cells between the blanks beside the frame
}

// boxRow is one row of a box.
type boxRow struct {
	text   string // with its styles, at most as wide as the box is inside
	cursor bool
}

// boxMost is the widest that a box is drawn, with its frame.
const boxMost = 80

// boxRoom is how wide a box may be inside on a terminal of that width, boxRows
// how many rows it may have there.
func boxRoom(width int) int  { return min(width, boxMost) - 4 }
func boxRows(height int) int { return height - 2 }

// lay dims the rows of the screen and lays a box over them.
func (a *App) lay(rows []string, b boxed) []string {
	a.shade(rows)
	for i, line := range a.frameOf(b) {
		if at := max((len(rows)-len(b.rows)-2)/2, 0) + i; at < len(rows) {
			rows[at] = cells.Blank((a.width-b.inner-4)/2) + line
		}
	}
	return rows
}

// frameOf are the lines of a box, with its frame.
func (a *App) frameOf(b boxed) []string {
	s := a.styles()
	title := cells.Cut(b.title, max(b.inner-cells.Width(b.corner)-3, 1))
	rule := b.inner - cells.Width(title) - cells.Width(b.corner) - 2
	lines := []string{s.Rule.Render("┌ "+title+" "+strings.Repeat("─", max(rule, 0))+" ") + b.corner + s.Rule.Render(" ┐")}
	for _, row := range b.rows {
		begin := "│ "
		if row.cursor {
			begin = "│" + s.Cursor.Render("▸")
		}
		lines = append(lines, s.Rule.Render(begin)+cells.Left(row.text, b.inner)+s.Rule.Render(" │"))
	}
	return append(lines, s.Rule.Render("└"+strings.Repeat("─", b.inner+2)+"┘"))
}
