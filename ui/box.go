package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
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
	for i, row := range rows {
		rows[i] = s.Shade.Render(ansi.Strip(row))
	}
	inner := 0
	for _, line := range b.lines {
		inner = max(inner, cells(line))
	}
	inner = min(max(inner, cells(b.title)+cells(b.said())+4), min(a.width, 80)-4)
	lines := b.lines[min(b.top, len(b.lines)):]
	lines = lines[:min(len(lines), a.height-4)]
	at := max((len(rows)-len(lines)-2)/2, 0)
	head := "┌ " + b.title + " "
	corner := " " + b.said() + " ┐"
	for cells(head)+cells(corner) < inner+4 {
		head += "─"
	}
	drawn := []string{s.Rule.Render(head + corner)}
	for _, line := range lines {
		drawn = append(drawn, s.Rule.Render("│ ")+b.style(s, line).Render(left(line, inner))+s.Rule.Render(" │"))
	}
	foot := "└"
	for cells(foot) < inner+3 {
		foot += "─"
	}
	drawn = append(drawn, s.Rule.Render(foot+"┘"))
	beside := blank((a.width - inner - 4) / 2)
	for i, line := range drawn {
		if at+i < len(rows) {
			rows[at+i] = beside + line
		}
	}
	return rows
}
