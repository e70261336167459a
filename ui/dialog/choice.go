package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Choice is a box with a list, of which enter takes one.
type Choice struct {
	Host   Host
	Title  string
	Does   string // what enter does
	Column int    // cells of the words at least
	At     int    // the chosen line
	items  []item
}

// item is one line of a choice.
type item struct {
	word, what string
	off        string // why it cannot be taken; "" if it can
	run        func() tea.Cmd
}

// IsEmpty reports whether there is nothing to choose.
func (c *Choice) IsEmpty() bool { return len(c.items) == 0 }

// Add adds a line. Off says why it cannot be taken; "" if it can.
func (c *Choice) Add(word, what, off string, run func() tea.Cmd) {
	word, what = model.Clean(word), c.Host.Brief(what)
	if off != "" {
		word = "(" + word + ")"
	}
	c.Column = max(c.Column, cells.Width(word))
	c.items = append(c.items, item{word, what, off, run})
}

// Open shows it over the view.
func (c *Choice) Open() tea.Cmd {
	c.Host.Show(c)
	return nil
}

// Key implements Modal.
func (c *Choice) Key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc", "q", "ctrl+c", "i":
		c.Host.Close()
	case "up", "k":
		c.Scroll(-1)
	case "down", "j":
		c.Scroll(1)
	case "home", "g":
		c.Scroll(-len(c.items))
	case "end", "G":
		c.Scroll(len(c.items))
	case "enter":
		return c.take(c.items[c.At])
	}
	return nil
}

// take runs the chosen item, or says why it is not available; the box stays then.
func (c *Choice) take(chosen item) tea.Cmd {
	switch {
	case c.Host.Small():
		return nil
	case chosen.off != "":
		return c.Host.Say(strings.Trim(chosen.word, "()") + ": " + chosen.off)
	}
	c.Host.Close()
	return chosen.run()
}

// Paste implements Modal: a pasted text takes nothing.
func (c *Choice) Paste(string) tea.Cmd { return nil }

// Scroll implements Modal: it goes to another line.
func (c *Choice) Scroll(n int) { c.At = max(min(c.At+n, len(c.items)-1), 0) }

// Resized implements Modal.
func (c *Choice) Resized() tea.Cmd { return nil }

// Draw implements Modal.
func (c *Choice) Draw(width, height int) Drawn {
	room := Room(width)
	column := min(c.Column, room/2)
	inner := min(Least, room)
	lines := make([]string, len(c.items))
	for i, item := range c.items {
		lines[i] = cells.Left(cells.CutMiddle(item.word, column), column) + "  " + item.what
		inner = min(max(inner, cells.Width(lines[i])), room)
	}
	off := func(i int) bool { return c.items[i].off != "" }
	rows := List(c.Host.Styles(), lines, c.At, off, inner, Rows(height)-1)
	rows = append(rows, Row{Text: c.Host.Styles().Dim.Render(cells.Cut("enter "+c.Does+"   esc cancel", inner))})
	return Drawn{Title: model.Clean(c.Title), Corner: c.Host.Corner(), Rows: rows, Inner: inner}
}
