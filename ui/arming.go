package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// armsAfter is how long a box has to be on the screen before it takes answers.
	armsAfter = 500 * time.Millisecond
	// armsQuiet is how long no key may have been pressed before it does.
	armsQuiet = 300 * time.Millisecond
	// answersAfter is how long no key may follow a y before it is taken: one of
	// many, as in a paste without its marks, answers nothing.
	answersAfter = 150 * time.Millisecond
)

// arming keeps keys that were pressed before a box could be read from answering it.
type arming struct {
	drawn   time.Time // when the box came on the screen
	pressed time.Time // the last key
	armed   bool
	alone   bool // no key came shortly before the last one
	keys    int  // that were pressed
}

// armMsg says that a box may be armed by now: it is drawn anew.
type armMsg struct{}

// begin disarms: the box has just been drawn.
func (m *arming) begin(a *App) tea.Cmd {
	*m = arming{drawn: a.observed.at}
	return a.after(armsAfter, func(time.Time) tea.Msg { return armMsg{} })
}

// ready says whether answers count at that time.
func (m *arming) ready(at time.Time) bool {
	return m.armed || at.Sub(m.drawn) >= armsAfter && at.Sub(m.pressed) >= armsQuiet
}

// press takes note of a key and says whether it may answer. A key that is held
// down says so itself where the terminal tells; elsewhere its repeats come so
// fast that the box is never armed.
func (m *arming) press(key tea.KeyPressMsg, a *App) (may bool, cmd tea.Cmd) {
	if key.IsRepeat {
		may = false
	} else {
		may = m.ready(a.observed.at)
	}
	m.alone = a.observed.at.Sub(m.pressed) >= armsQuiet
	m.pressed = a.observed.at
	m.keys++
	if m.armed = m.armed || may; m.armed {
		return may, nil
	}
	return false, a.after(armsQuiet, func(time.Time) tea.Msg { return armMsg{} })
}

// answerer is a box that a single key answers.
type answerer interface {
	modal
	// answered does what the key has answered, once no other followed it; keys is
	// how many were pressed until then.
	answered(keys int) tea.Cmd
}

// saidYesMsg says that a key has answered a box, if no other key followed.
type saidYesMsg struct {
	box  answerer
	keys int
}

// answers takes a y that stands alone for an answer, if nothing follows it.
func (m *arming) answers(a *App, box answerer) tea.Cmd {
	if !m.alone {
		return nil
	}
	keys := m.keys
	return a.after(answersAfter, func(time.Time) tea.Msg { return saidYesMsg{box, keys} })
}

// onSaidYes hands the answer to the box, if that is open still.
func (x *boxes) onSaidYes(msg saidYesMsg) tea.Cmd {
	if x.app.dialog != modal(msg.box) {
		return nil
	}
	return msg.box.answered(msg.keys)
}
