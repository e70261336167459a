package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// box lies over the dimmed view.
type box struct {
	title, corner string
	lines         []string // plain
	top           int
	room          int     // lines that fit
	find          *finder // nil: nothing can be searched in it
}

func (b *box) scroll(n int) { b.top = max(min(b.top+n, len(b.lines)-b.room), 0) }

// onBoxKey scrolls the box or closes it.
func (a *App) onBoxKey(key tea.KeyPressMsg) {
	a.box.room = a.height - 4
	if a.box.find != nil && a.box.find.key(a.box, key) {
		return
	}
	switch key.String() {
	case "up", "k":
		a.box.scroll(-1)
	case "down", "j":
		a.box.scroll(1)
	case "esc", "q", "?", "ctrl+c", "enter":
		a.box = nil
	}
}

// underBox lays the box over rows, which are dimmed.
func (a *App) underBox(rows []string) []string {
	s, b := a.styles(), a.box
	inner := 0
	for _, line := range b.lines {
		inner = max(inner, cells.Width(line))
	}
	inner = min(max(inner, cells.Width(b.title)+cells.Width(b.said())+4), boxRoom(a.width))
	lines := b.lines[min(b.top, len(b.lines)):]
	lines = lines[:min(len(lines), a.height-4)]
	drawn := boxed{title: b.title, corner: s.Rule.Render(b.said()), inner: inner}
	for _, line := range lines {
		drawn.rows = append(drawn.rows, boxRow{text: b.style(s, line).Render(cells.Left(line, inner))})
	}
	return a.lay(rows, drawn)
}
