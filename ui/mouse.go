package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// onMouse hands clicks in the body and the wheel to the view. The mouse answers
// no box and leaves no input.
func (a *App) onMouse(msg tea.MouseMsg) tea.Cmd {
	if a.small() || a.free() && a.hides(a.top()) {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch {
		case a.dialog != nil:
			a.dialog.scroll(keymap.Wheel(msg))
			return nil
		case a.box != nil:
			a.box.scroll(keymap.Wheel(msg))
			return nil
		}
		if a.prompt == nil {
			return a.top().update(msg)
		}
	case tea.MouseClickMsg:
		msg.Y -= 2
		if msg.Button == tea.MouseLeft && a.free() && msg.Y >= 0 && msg.Y < a.bodyHeight() && msg.X < a.width-a.lessonRight() {
			a.touched = true
			msg.Y = a.pageRow(msg.Y)
			return a.top().update(msg)
		}
	}
	return nil
}

// free says that nothing lies over the page.
func (a *App) free() bool {
	return a.box == nil && a.dialog == nil && a.prompt == nil && a.acts.wish == nil
}
