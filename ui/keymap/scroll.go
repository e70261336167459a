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

// Steps is how many rows a key moves, of half a page, a page and all rows; ok is false
// for other keys.
func Steps(do Action, half, page, all int) (n int, ok bool) {
	n, ok = map[Action]int{Up: -1, Down: 1, HalfUp: -half, HalfDown: half, PageUp: -page, PageDown: page, Top: -all, Bottom: all}[do]
	return n, ok
}
