package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// yesNo is a box that asks about something that changes no object of the cluster.
// It arms as the box of a plan does.
type yesNo struct {
	app   *App
	title string
	lines []string // sentences
	does  string   // what y does
	run   func() tea.Cmd
	arms  arming
}

// openYesNo asks.
func (a *App) openYesNo(box *yesNo) tea.Cmd {
	a.prompt, a.dialog = nil, box
	return box.arms.begin(a)
}

func (b *yesNo) key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if pressed == "esc" || pressed == "q" || pressed == "ctrl+c" {
		b.app.dialog = nil
		return nil
	}
	may, cmd := b.arms.press(key, b.app)
	if may && pressed == "y" && !b.app.small() {
		return b.arms.answers(b.app, b)
	}
	return cmd
}

// answered implements answerer.
func (b *yesNo) answered(keys int) tea.Cmd {
	if keys != b.arms.keys || b.app.small() {
		return nil
	}
	b.app.dialog = nil
	return b.run()
}

func (b *yesNo) paste(string) tea.Cmd { return nil }

func (b *yesNo) scroll(int) {}

func (b *yesNo) resized() tea.Cmd { return b.arms.begin(b.app) }

func (b *yesNo) draw(width, height int) boxed {
	s, room := b.app.styles(), boxRoom(width)
	inner := min(confirmLeast, room)
	var lines []boxRow
	for _, line := range b.lines {
		inner = min(max(inner, cells.Width(line)), room)
		for _, row := range cells.Wrap(b.app.brief(line), room) {
			lines = append(lines, boxRow{text: s.Text.Render(row)})
		}
	}
	style := s.Dim
	if b.arms.ready(b.app.at) {
		style = s.Strong
	}
	lines = append(lines, boxRow{text: style.Render("y " + b.does + "   esc nothing")})
	lines = lines[max(len(lines)-boxRows(height), 0):]
	return boxed{title: b.app.brief(b.title), corner: b.app.placeBadge(), rows: lines, inner: inner}
}
