package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// soon is how many rows are arranged at once; more take a Cmd.
const soon = 1000

// arrangedMsg brings rows that were arranged off the event loop.
type arrangedMsg[R any] struct {
	job   int
	reset bool
	rows  []R
}

// arrange brings the newest snapshot's rows into the order asked for. Reset is
// for what the user asked for; without it rows that vanish stay as gone.
func (l *list[R]) arrange(reset bool) tea.Cmd {
	rows := l.natural()
	l.all = len(rows)
	l.job++
	columns, by, reversed := l.table.columns, l.table.sorted, l.table.reversed
	if len(rows) <= soon || by < 0 && !reversed {
		l.take(order(columns, by, reversed, rows), reset)
		return nil
	}
	job := l.job
	l.busy, l.stale = true, false
	return l.app.ask(l.self, func(context.Context) tea.Msg {
		return arrangedMsg[R]{job, reset, order(columns, by, reversed, rows)}
	})
}

func (l *list[R]) onArranged(msg arrangedMsg[R]) tea.Cmd {
	if msg.job != l.job {
		return nil // a newer one is on its way
	}
	l.busy = false
	l.take(msg.rows, msg.reset)
	if l.stale {
		l.stale = false
		return l.arrange(false)
	}
	return nil
}

func (l *list[R]) take(rows []R, reset bool) {
	if reset {
		l.table.reset(rows)
	} else {
		l.table.set(rows)
	}
}
