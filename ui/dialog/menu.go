package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Menu is a box with every action on something, and why some are not available now.
type Menu struct {
	Host   Host
	About  string // what the actions are on
	Items  []MenuItem
	Chosen int
}

// MenuItem is one action of a Menu.
type MenuItem struct {
	Key  string // that does the same, as the menu shows it; "" where none does
	Keys string // all that do, as the terminal names them, by spaces
	Word string
	Off  string         // why it could not be done when the menu opened; "" if it could
	Now  func() string  // why it cannot be done now
	Run  func() tea.Cmd // begins it
}

// Key implements Modal.
func (m *Menu) Key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if at := slices.IndexFunc(m.Items, func(i MenuItem) bool { return slices.Contains(strings.Fields(i.Keys), pressed) }); at >= 0 {
		return m.take(m.Items[at]) // before the menu's own: the settings may give a letter of these to an action
	}
	switch pressed {
	case "esc", "q", "ctrl+c", "a":
		m.Host.Close()
	case "up", "k":
		m.Scroll(-1)
	case "down", "j":
		m.Scroll(1)
	case "enter":
		return m.take(m.Items[m.Chosen])
	}
	return nil
}

// take begins the action, or says why it is not available; the menu stays then.
func (m *Menu) take(item MenuItem) tea.Cmd {
	if m.Host.Small() {
		return nil
	}
	if reason := item.Now(); reason != "" {
		return m.Host.Say(model.Clean(item.Word) + ": " + reason)
	}
	m.Host.Close()
	return item.Run()
}

// Paste implements Modal: a pasted text takes nothing.
func (m *Menu) Paste(string) tea.Cmd { return nil }

// Scroll implements Modal: it goes to another line.
func (m *Menu) Scroll(n int) { m.Chosen = max(min(m.Chosen+n, len(m.Items)-1), 0) }

// Resized implements Modal.
func (m *Menu) Resized() tea.Cmd { return nil }

// Draw implements Modal.
func (m *Menu) Draw(width, height int) Drawn {
	room := Room(width)
	words, keys := 0, 3
	for _, item := range m.Items {
		words, keys = max(words, cells.Width(item.Word)), max(keys, cells.Width(item.Key)+2)
	}
	inner := min(Least, room)
	lines := make([]string, len(m.Items))
	for i, item := range m.Items {
		line := cells.Left(item.Key, keys) + cells.Left(item.Word, words)
		if item.Off != "" {
			line = cells.Left("("+item.Key, keys) + cells.Left(item.Word+")", words+1) + "  " + m.Host.Brief(item.Off)
			if item.Key == "" {
				line = cells.Left("", keys) + cells.Left("("+item.Word+")", words+2) + " " + m.Host.Brief(item.Off)
			}
		}
		lines[i] = line
		inner = min(max(inner, cells.Width(line)), room)
	}
	off := func(i int) bool { return m.Items[i].Off != "" }
	rows := List(m.Host.Styles(), lines, m.Chosen, off, inner, Rows(height)-1)
	rows = append(rows, Row{Text: m.Host.Styles().Dim.Render(cells.Cut("enter or its key: plan   esc cancel", inner))})
	return Drawn{Title: "Actions on " + m.Host.Brief(m.About), Corner: m.Host.Corner(), Rows: rows, Inner: inner}
}
