package keymap

import tea "charm.land/bubbletea/v2"

// WheelRows is how far one notch of the wheel scrolls.
const WheelRows = 3

// Wheel is the rows that a turn of the wheel scrolls; down is positive.
func Wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -WheelRows
	case tea.MouseWheelDown:
		return WheelRows
	}
	return 0
}
