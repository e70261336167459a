package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
)

// yesNo is a box that asks about something that changes no object of the cluster.
// It takes answers when the box of a plan does.
type yesNo struct {
	app   *App
	title string
	lines []string // sentences
	does  string   // what y does
	run   func() tea.Cmd
	guard keyGuard
}

// openYesNo asks.
func (x *boxes) openYesNo(box *yesNo) tea.Cmd {
	x.app.prompt, x.app.dialog = nil, box
	return box.guard.begin(x.app)
}

func (b *yesNo) key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if pressed == "esc" || pressed == "q" || pressed == "ctrl+c" {
		b.app.dialog = nil
		return nil
	}
	may, cmd := b.guard.press(key, b.app)
	if may && pressed == "y" && !b.app.small() {
		return b.guard.answers(b.app, b)
	}
	return cmd
}

// answered implements answerer.
func (b *yesNo) answered(keys int) tea.Cmd {
	if keys != b.guard.keys || b.app.small() {
		return nil
	}
	b.app.dialog = nil
	return b.run()
}

func (b *yesNo) paste(string) tea.Cmd { return nil }

func (b *yesNo) scroll(int) {}

func (b *yesNo) resized() tea.Cmd { return b.guard.begin(b.app) }

func (b *yesNo) draw(width, height int) dialog.Drawn {
	s, room := b.app.styles(), dialog.Room(width)
	inner := min(confirmLeast, room)
	var lines []dialog.Row
	for _, line := range b.lines {
		inner = min(max(inner, cells.Width(line)), room)
		for _, row := range cells.Wrap(b.app.observed.Brief(line), room) {
			lines = append(lines, dialog.Row{Text: s.Text.Render(row)})
		}
	}
	style := s.Dim
	if b.guard.ready(b.app.observed.At) {
		style = s.Strong
	}
	lines = append(lines, dialog.Row{Text: style.Render("y " + b.does + "   esc cancel")})
	lines = lines[max(len(lines)-dialog.Rows(height), 0):]
	return dialog.Drawn{Title: b.app.observed.Brief(b.title), Corner: b.app.boxes.placeBadge(), Rows: lines, Inner: inner}
}
