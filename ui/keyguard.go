package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// guardShown is how long a box has to be on the screen before it takes answers.
	guardShown = 500 * time.Millisecond
	// guardQuiet is how long no key may have been pressed before it does.
	guardQuiet = 300 * time.Millisecond
	// guardAlone is how long no key may follow a y before it is taken: one of many, as
	// in a paste without paste marks, is no answer.
	guardAlone = 150 * time.Millisecond
)

// keyGuard ignores keys that were pressed before a box could be read.
type keyGuard struct {
	drawn   time.Time // when the box was first drawn
	pressed time.Time // the last key
	open    bool      // answers are taken
	alone   bool      // no key was pressed shortly before the last one
	keys    int       // how many were pressed
}

// guardMsg redraws a box that may take answers by now.
type guardMsg struct{}

// begin closes the guard: the box has just been drawn.
func (g *keyGuard) begin(a *App) tea.Cmd {
	*g = keyGuard{drawn: a.observed.At}
	return a.after(guardShown, func(time.Time) tea.Msg { return guardMsg{} })
}

// ready says whether answers are taken at that time.
func (g *keyGuard) ready(at time.Time) bool {
	return g.open || at.Sub(g.drawn) >= guardShown && at.Sub(g.pressed) >= guardQuiet
}

// press notes a key and says whether it may answer. A key that is held down is
// marked as a repeat by some terminals; on others its repeats come so fast that the
// guard never opens.
func (g *keyGuard) press(key tea.KeyPressMsg, a *App) (may bool, cmd tea.Cmd) {
	if key.IsRepeat {
		may = false
	} else {
		may = g.ready(a.observed.At)
	}
	g.alone = a.observed.At.Sub(g.pressed) >= guardQuiet
	g.pressed = a.observed.At
	g.keys++
	if g.open = g.open || may; g.open {
		return may, nil
	}
	return false, a.after(guardQuiet, func(time.Time) tea.Msg { return guardMsg{} })
}

// answerer is a box that a single key answers.
type answerer interface {
	modal
	// answered acts on the answer, once no other key followed it; keys is how many
	// were pressed until then.
	answered(keys int) tea.Cmd
}

// boxAnsweredMsg says that a key has answered a box, if no other key followed.
type boxAnsweredMsg struct {
	box  answerer
	keys int
}

// answers takes a y for the answer, if no key came shortly before or after it.
func (g *keyGuard) answers(a *App, box answerer) tea.Cmd {
	if !g.alone {
		return nil
	}
	keys := g.keys
	return a.after(guardAlone, func(time.Time) tea.Msg { return boxAnsweredMsg{box, keys} })
}

// onBoxAnswered passes the answer to the box, if that is still open.
func (x *boxes) onBoxAnswered(msg boxAnsweredMsg) tea.Cmd {
	if x.app.dialog != modal(msg.box) {
		return nil
	}
	return msg.box.answered(msg.keys)
}
