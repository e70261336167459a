package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// choice is a box with a list, of which enter takes one.
type choice struct {
	app    *App
	title  string
	does   string // what enter does
	column int    // cells of the words at least
	items  []chosen
	at     int
}

// chosen is one line of a choice.
type chosen struct {
	word, what string
	off        string // why it cannot be taken; "" if it can
	run        func() tea.Cmd
}

func (c *choice) add(word, what, off string, run func() tea.Cmd) {
	word, what = model.Clean(word), c.app.brief(what)
	if off != "" {
		word = "(" + word + ")"
	}
	c.column = max(c.column, cells(word))
	c.items = append(c.items, chosen{word, what, off, run})
}

// open shows it over the view.
func (c *choice) open() tea.Cmd {
	c.app.prompt, c.app.dialog = nil, c
	return nil
}

func (c *choice) key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc", "q", "ctrl+c", "i":
		c.app.dialog = nil
	case "up", "k":
		c.scroll(-1)
	case "down", "j":
		c.scroll(1)
	case "home", "g":
		c.scroll(-len(c.items))
	case "end", "G":
		c.scroll(len(c.items))
	case "enter":
		return c.take(c.items[c.at])
	}
	return nil
}

// take does what was chosen, or says why it cannot be done; the box stays then.
func (c *choice) take(item chosen) tea.Cmd {
	switch {
	case c.app.small():
		return nil
	case item.off != "":
		return c.app.say(strings.Trim(item.word, "()") + ": " + item.off)
	}
	c.app.dialog = nil
	return item.run()
}

func (c *choice) paste(string) tea.Cmd { return nil }

func (c *choice) scroll(n int) { c.at = max(min(c.at+n, len(c.items)-1), 0) }

func (c *choice) resized() tea.Cmd { return nil }

func (c *choice) draw(width, height int) boxed {
	s, room := c.app.styles(), boxRoom(width)
	column := min(c.column, room/2)
	inner := min(confirmLeast, room)
	lines := make([]string, len(c.items))
	for i, item := range c.items {
		lines[i] = left(cutMiddle(item.word, column), column) + "  " + item.what
		inner = min(max(inner, cells(lines[i])), room)
	}
	var rows []boxRow
	for i, line := range lines {
		style := s.Text
		switch {
		case i == c.at:
			style = s.Selected
		case c.items[i].off != "":
			style = s.KeyOff
		}
		rows = append(rows, boxRow{text: style.Render(left(line, inner)), cursor: i == c.at})
	}
	most := boxRows(height) - 1
	from := max(min(c.at-most+1, len(rows)-most), 0)
	rows = rows[from:min(from+most, len(rows))]
	rows = append(rows, boxRow{text: s.Dim.Render(cut("enter "+c.does+"   esc nothing", inner))})
	return boxed{title: model.Clean(c.title), corner: c.app.placeBadge(), rows: rows, inner: inner}
}
