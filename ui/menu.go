package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// menu is the box with every action on the selection, and why some are not
// available now.
type menu struct {
	app    *App
	view   page.View
	about  string
	items  []menuItem
	chosen int
}

// menuItem is one action of the menu.
type menuItem struct {
	do   keymap.Action
	key  string // that does the same; "" where none does
	word string
	off  string // why it cannot be done; "" if it can
}

// keyless are the words of actions that only the menu has.
var keyless = map[keymap.Action]string{
	keymap.Annotate: "annotate", keymap.Ungate: "remove gates", keymap.Scale: "scale the workload", keymap.Restart: "restart the workload",
	keymap.Delete: "delete",
}

// item is an action as the menu shows it.
func (x *boxes) item(do keymap.Action, v page.View) menuItem {
	made := menuItem{do: do, word: keyless[do], off: x.app.keyboard.off(do, v)}
	if made.word == "" {
		b := keymap.Of(do, v.Places())
		made.key, made.word = b.Label, b.Foot
	}
	return made
}

// openMenu opens the menu of the view on top.
func (x *boxes) openMenu() tea.Cmd {
	v := x.app.history.top()
	t := page.TargetsOf(v)
	m := &menu{app: x.app, view: v, about: t.Names()}
	if len(t.Nodes) > 0 && len(t.Pods) > 0 {
		m.about += " and " + page.Targets{Pods: t.Pods}.Names()
	}
	for _, do := range change.For(t) {
		m.items = append(m.items, x.item(do, v))
	}
	if len(m.items) == 0 {
		return x.app.said.say("a more: nothing selected can be changed.")
	}
	m.chosen = max(slices.IndexFunc(m.items, func(i menuItem) bool { return i.off == "" }), 0)
	x.app.prompt, x.app.dialog = nil, m
	return nil
}

func (m *menu) key(key tea.KeyPressMsg) tea.Cmd {
	switch pressed := key.String(); pressed {
	case "esc", "q", "ctrl+c", "a":
		m.app.dialog = nil
	case "up", "k":
		m.scroll(-1)
	case "down", "j":
		m.scroll(1)
	case "enter":
		return m.take(m.items[m.chosen])
	default:
		at := slices.IndexFunc(m.items, func(i menuItem) bool { return i.key == pressed })
		if at >= 0 {
			return m.take(m.items[at])
		}
	}
	return nil
}

// take begins the action, or says why it is not available; the menu stays then.
func (m *menu) take(item menuItem) tea.Cmd {
	if m.app.small() {
		return nil
	}
	if reason := m.app.keyboard.off(item.do, m.view); reason != "" {
		return m.app.said.say(model.Clean(item.word) + ": " + reason)
	}
	m.app.dialog = nil
	return m.app.acts.change(item.do, page.TargetsOf(m.view))
}

func (m *menu) paste(string) tea.Cmd { return nil }

func (m *menu) scroll(n int) { m.chosen = max(min(m.chosen+n, len(m.items)-1), 0) }

func (m *menu) resized() tea.Cmd { return nil }

func (m *menu) draw(width, height int) dialog.Drawn {
	room := dialog.Room(width)
	words := 0
	for _, item := range m.items {
		words = max(words, cells.Width(item.word))
	}
	inner := min(confirmLeast, room)
	lines := make([]string, len(m.items))
	for i, item := range m.items {
		line := cells.Left(item.key, 3) + cells.Left(item.word, words)
		if item.off != "" {
			line = cells.Left("("+item.key, 3) + cells.Left(item.word+")", words+1) + "  " + m.app.observed.Brief(item.off)
			if item.key == "" {
				line = cells.Left("", 3) + cells.Left("("+item.word+")", words+2) + " " + m.app.observed.Brief(item.off)
			}
		}
		lines[i] = line
		inner = min(max(inner, cells.Width(line)), room)
	}
	off := func(i int) bool { return m.items[i].off != "" }
	rows := dialog.List(m.app.styles(), lines, m.chosen, off, inner, dialog.Rows(height)-1)
	rows = append(rows, dialog.Row{Text: m.app.styles().Dim.Render(cells.Cut("enter or its key: plan   esc cancel", inner))})
	return dialog.Drawn{Title: "Actions on " + m.app.observed.Brief(m.about), Corner: m.app.boxes.placeBadge(), Rows: rows, Inner: inner}
}
