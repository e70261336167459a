package ui

import tea "charm.land/bubbletea/v2"

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

// wheel is the rows that a turn of the wheel scrolls; down is positive.
func wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -wheelRows
	case tea.MouseWheelDown:
		return wheelRows
	}
	return 0
}

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
			a.dialog.scroll(wheel(msg))
			return nil
		case a.box != nil:
			a.box.scroll(wheel(msg))
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
