package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Box lies over the dimmed view.
type Box struct {
	Title, Corner string
	Lines         []string // plain
	top           int
	Room          int     // lines that fit
	Find          *Finder // nil: nothing can be searched in it
}

// Scroll moves the text by n rows.
func (b *Box) Scroll(n int) { b.top = max(min(b.top+n, len(b.Lines)-b.Room), 0) }

// Key scrolls or searches the box; it reports whether the key closes it.
func (b *Box) Key(key tea.KeyPressMsg) (closes bool) {
	if b.Find != nil && b.Find.key(b, key) {
		return false
	}
	switch key.String() {
	case "up", "k":
		b.Scroll(-1)
	case "down", "j":
		b.Scroll(1)
	case "esc", "q", "?", "ctrl+c", "enter":
		return true
	}
	return false
}

// Resize sets the height of the terminal.
func (b *Box) Resize(height int) { b.Room = height - 4 }

// Draw lays it out for a terminal of that size.
func (b *Box) Draw(s *themes.Styles, width, height int) Drawn {
	inner := 0
	for _, line := range b.Lines {
		inner = max(inner, cells.Width(line))
	}
	inner = min(max(inner, cells.Width(b.Title)+cells.Width(b.corner())+4), Room(width))
	lines := b.Lines[min(b.top, len(b.Lines)):]
	lines = lines[:min(len(lines), height-4)]
	drawn := Drawn{Title: b.Title, Corner: s.Rule.Render(b.corner()), Inner: inner}
	for _, line := range lines {
		drawn.Rows = append(drawn.Rows, Row{Text: b.style(s, line).Render(cells.Left(line, inner))})
	}
	return drawn
}
