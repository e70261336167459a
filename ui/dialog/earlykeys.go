package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// GuardShown is how long a box has to be on the screen before it takes answers.
	GuardShown = 500 * time.Millisecond
	// GuardQuiet is how long no key may have been pressed before it does.
	GuardQuiet = 300 * time.Millisecond
	// GuardAlone is how long no key may follow a y before it is taken: one of many, as
	// in a paste without paste marks, is no answer.
	GuardAlone = 150 * time.Millisecond
)

// Guard ignores keys that were pressed before a box could be read.
type Guard struct {
	drawn   time.Time // when the box was first drawn
	pressed time.Time // the last key
	open    bool      // answers are taken
	alone   bool      // no key was pressed shortly before the last one
	keys    int       // how many were pressed
}

// ReadyMsg redraws a box that may take answers by now.
type ReadyMsg struct{}

// Begin closes the guard: the box has just been drawn.
func (g *Guard) Begin(h Host) tea.Cmd {
	*g = Guard{drawn: h.At()}
	return h.After(GuardShown, ReadyMsg{})
}

// Ready says whether answers are taken at that time.
func (g *Guard) Ready(at time.Time) bool {
	return g.open || at.Sub(g.drawn) >= GuardShown && at.Sub(g.pressed) >= GuardQuiet
}

// Press notes a key and says whether it may answer. A key that is held down is
// marked as a repeat by some terminals; on others its repeats come so fast that the
// guard never opens.
func (g *Guard) Press(h Host, key tea.KeyPressMsg) (may bool, cmd tea.Cmd) {
	if key.IsRepeat {
		may = false
	} else {
		may = g.Ready(h.At())
	}
	g.alone = h.At().Sub(g.pressed) >= GuardQuiet
	g.pressed = h.At()
	g.keys++
	if g.open = g.open || may; g.open {
		return may, nil
	}
	return false, h.After(GuardQuiet, ReadyMsg{})
}

// Answerer is a box that a single key answers.
type Answerer interface {
	Modal
	// Answered acts on the answer, once no other key followed it; keys is how many
	// were pressed until then.
	Answered(keys int) tea.Cmd
}

// AnsweredMsg says that a key has answered a box, if no other key followed.
type AnsweredMsg struct {
	Box  Answerer
	Keys int
}

// Answers takes a y for the answer, if no key came shortly before or after it.
func (g *Guard) Answers(h Host, box Answerer) tea.Cmd {
	if !g.alone {
		return nil
	}
	return h.After(GuardAlone, AnsweredMsg{box, g.keys})
}

// Keys is how many keys were pressed.
func (g *Guard) Keys() int { return g.keys }
