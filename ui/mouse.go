package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// onMouse passes clicks in the body and the wheel to the view. The mouse neither
// answers a box nor closes an input.
func (k *keyboard) onMouse(msg tea.MouseMsg) tea.Cmd {
	if k.app.small() || k.free() && k.app.hides(k.app.history.top()) {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch {
		case k.app.dialog != nil:
			k.app.dialog.Scroll(keymap.Wheel(msg))
			return nil
		case k.app.box != nil:
			k.app.box.Scroll(keymap.Wheel(msg))
			return nil
		}
		if k.app.prompt == nil {
			return k.app.history.top().Update(msg)
		}
	case tea.MouseClickMsg:
		msg.Y -= 2
		if msg.Button == tea.MouseLeft && k.free() && msg.Y >= 0 && msg.Y < k.app.layout.bodyHeight() && msg.X < k.app.width-k.app.lesson.Right(k.app.width) {
			k.app.touched = true
			msg.Y = k.app.layout.pageRow(msg.Y)
			return k.app.history.top().Update(msg)
		}
	}
	return nil
}

// free reports whether no box or input is open.
func (k *keyboard) free() bool {
	return k.app.box == nil && k.app.dialog == nil && k.app.prompt == nil && k.app.acts.action == nil
}
