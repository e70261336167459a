package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
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
	word, what = model.Clean(word), c.app.observed.Brief(what)
	if off != "" {
		word = "(" + word + ")"
	}
	c.column = max(c.column, cells.Width(word))
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

// take runs the chosen item, or says why it is not available; the box stays then.
func (c *choice) take(item chosen) tea.Cmd {
	switch {
	case c.app.small():
		return nil
	case item.off != "":
		return c.app.said.say(strings.Trim(item.word, "()") + ": " + item.off)
	}
	c.app.dialog = nil
	return item.run()
}

func (c *choice) paste(string) tea.Cmd { return nil }

func (c *choice) scroll(n int) { c.at = max(min(c.at+n, len(c.items)-1), 0) }

func (c *choice) resized() tea.Cmd { return nil }

func (c *choice) draw(width, height int) dialog.Drawn {
	room := dialog.Room(width)
	column := min(c.column, room/2)
	inner := min(confirmLeast, room)
	lines := make([]string, len(c.items))
	for i, item := range c.items {
		lines[i] = cells.Left(cells.CutMiddle(item.word, column), column) + "  " + item.what
		inner = min(max(inner, cells.Width(lines[i])), room)
	}
	off := func(i int) bool { return c.items[i].off != "" }
	rows := dialog.List(c.app.styles(), lines, c.at, off, inner, dialog.Rows(height)-1)
	rows = append(rows, dialog.Row{Text: c.app.styles().Dim.Render(cells.Cut("enter "+c.does+"   esc cancel", inner))})
	return dialog.Drawn{Title: model.Clean(c.title), Corner: c.app.boxes.placeBadge(), Rows: rows, Inner: inner}
}
