package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// YesNo is a box that asks about something that changes no object of the cluster.
// It takes answers when the box of a plan does.
type YesNo struct {
	Host  Host
	Title string
	Lines []string // sentences
	Does  string   // what y does
	Run   func() tea.Cmd
	Guard Guard
}

// Ask opens the box.
func Ask(b *YesNo) tea.Cmd {
	b.Host.Show(b)
	return b.Guard.Begin(b.Host)
}

// Key implements Modal: y answers once the box takes answers.
func (b *YesNo) Key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	if pressed == "esc" || pressed == "q" || pressed == "ctrl+c" {
		b.Host.Close()
		return nil
	}
	may, cmd := b.Guard.Press(b.Host, key)
	if may && pressed == "y" && !b.Host.Small() {
		return b.Guard.Answers(b.Host, b)
	}
	return cmd
}

// Answered implements Answerer.
func (b *YesNo) Answered(keys int) tea.Cmd {
	if keys != b.Guard.Keys() || b.Host.Small() {
		return nil
	}
	b.Host.Close()
	return b.Run()
}

// Paste implements Modal: a pasted text is no answer.
func (b *YesNo) Paste(string) tea.Cmd { return nil }

// Scroll implements Modal: nothing scrolls.
func (b *YesNo) Scroll(int) {}

// Resized implements Modal: the box has to be read again.
func (b *YesNo) Resized() tea.Cmd { return b.Guard.Begin(b.Host) }

// Draw implements Modal.
func (b *YesNo) Draw(width, height int) Drawn {
	s, room := b.Host.Styles(), Room(width)
	inner := min(Least, room)
	var lines []Row
	for _, line := range b.Lines {
		inner = min(max(inner, cells.Width(line)), room)
		for _, row := range cells.Wrap(b.Host.Brief(line), room) {
			lines = append(lines, Row{Text: s.Text.Render(row)})
		}
	}
	style := s.Dim
	if b.Guard.Ready(b.Host.At()) {
		style = s.Strong
	}
	lines = append(lines, Row{Text: style.Render("y " + b.Does + "   esc cancel")})
	lines = lines[max(len(lines)-Rows(height), 0):]
	return Drawn{Title: b.Host.Brief(b.Title), Corner: b.Host.Corner(), Rows: lines, Inner: inner}
}
