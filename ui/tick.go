package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Ages are updated every 10 s; young ones, and those of a lost connection, every second.
const (
	calm  = 10 * time.Second
	brisk = time.Second
)

// tickMsg updates the ages. Only the newest tick that was asked for counts.
type tickMsg struct{ nth int }

// ticker asks for the ticks that update ages.
type ticker struct {
	app   *App
	nth   int // the newest tick that was asked for
	every time.Duration
}

// ager is a view that shows ages; it says whether one of them is young.
type ager interface{ ShowsYoung() bool }

// tick asks for the next tick, unless one comes soon enough already.
func (t *ticker) tick() tea.Cmd {
	every := calm
	if v, ok := t.app.history.top().(ager); ok && v.ShowsYoung() && !t.app.observed.IsSnapshot() || t.app.observed.Lost() || t.app.contexts.isConnecting() {
		every = brisk
	}
	if t.every != 0 && t.every <= every {
		return nil
	}
	t.every = every
	t.nth++
	nth := t.nth
	return t.app.after(every, func(time.Time) tea.Msg { return tickMsg{nth} })
}

func (t *ticker) onTick(msg tickMsg) tea.Cmd {
	if msg.nth == t.nth {
		t.every = 0
	}
	return nil
}
