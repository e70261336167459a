package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Ages move on slowly; those of what is young, and a lost connection, by the second.
const (
	calm  = 10 * time.Second
	brisk = time.Second
	young = 2 * time.Minute
)

// tickMsg moves the ages on. Only the newest tick that was asked for counts.
type tickMsg struct{ nth int }

// ager is a view that shows ages; it says whether one of them is young.
type ager interface{ showsYoung() bool }

// tick asks for the next tick, unless one comes soon enough already.
func (a *App) tick() tea.Cmd {
	every := calm
	if v, ok := a.top().(ager); ok && v.showsYoung() && !a.isSnapshot() || a.lost() || a.isConnecting() {
		every = brisk
	}
	if a.tickEvery != 0 && a.tickEvery <= every {
		return nil
	}
	a.tickEvery = every
	a.ticking++
	nth := a.ticking
	return a.after(every, func(time.Time) tea.Msg { return tickMsg{nth} })
}

func (a *App) onTick(msg tickMsg) tea.Cmd {
	if msg.nth == a.ticking {
		a.tickEvery = 0
	}
	return nil
}
