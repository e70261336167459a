package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/confirm"
)

// careless is a user who presses anything, at any pace, and pastes, clicks and
// resizes; and a judge who knows from the screen alone when an answer counts.
type careless struct {
	*acted
	random *rand.Rand
	did    []string

	box     dialog.Modal // that is open
	drawn   time.Time    // when it came on the screen, or its size changed
	pressed time.Time    // the last key on it before it was armed
	armed   bool
	ran     int // confirmed by a whole answer to an armed box
}

// careKeys are what it presses most.
var careKeys = strings.Fields("c u r t l e a z x y y y y space enter enter esc 1 2 3 9 p r o d - e u backspace up down j k " +
	"tab ctrl+c g G q : / [ ] P Q f h 0 ctrl+u ctrl+w pgup pgdown")

func newCareless(t *testing.T, seed uint64) *careless {
	prod := drained()
	context := []string{"staging-eu", "prod-eu"}[seed%2]
	c := &careless{acted: newActedOn(t, 80, 24, context, prod, nil), random: rand.New(rand.NewPCG(seed, 11))}
	c.actor.dress, c.actor.filtered = foretold(drainFates()), prod.going
	c.press([]string{"2", "3"}[seed/2%2])
	return c
}

// TestNothingRunsWithoutAWholeAnswerToAnArmedBox presses random keys at random
// paces. Whenever something is run, the box must have stood for half a second, no
// key must have been pressed for 0.3 s before it took one, and what the screen
// asked for must have been typed.
func TestNothingRunsWithoutAWholeAnswerToAnArmedBox(t *testing.T) {
	ran := 0
	for seed := range uint64(16) {
		c := newCareless(t, seed)
		for range 120 {
			c.step()
		}
		requireWhole(t, c.app, c.did)
		ran += c.ran
	}
	if ran < 8 {
		t.Errorf("only %d plans were confirmed in all: this shows little", ran)
	}
}

func (c *careless) step() {
	switch c.random.IntN(24) {
	case 0:
		c.act("paste", tea.PasteMsg{Content: []string{"y", "y\n", "11\n", "prod-eu\n", "prod-eu", "11"}[c.random.IntN(6)]})
	case 1:
		c.act("click", tea.MouseClickMsg{X: c.random.IntN(c.app.width), Y: c.random.IntN(c.app.height), Button: tea.MouseLeft})
	case 2:
		c.act("wheel", tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	case 3:
		size := [][2]int{{80, 24}, {120, 40}, {60, 15}, {40, 10}, {200, 60}}[c.random.IntN(5)]
		c.act("size", tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	case 4:
		c.hold(careKeys[c.random.IntN(len(careKeys))])
	case 5, 6, 7, 8:
		c.answer()
	default:
		c.pause()
		c.key(careKeys[c.random.IntN(len(careKeys))], false)
	}
}

// pause lets a moment pass, or none.
func (c *careless) pause() {
	c.at = c.at.Add(time.Duration(c.random.IntN(900)) * time.Millisecond * time.Duration(c.random.IntN(2)))
}

// hold keeps a key down; a terminal may or may not tell.
func (c *careless) hold(key string) {
	tells := c.random.IntN(2) == 0
	c.key(key, false)
	c.at = c.at.Add(500 * time.Millisecond)
	for range 20 {
		c.key(key, tells)
		c.at = c.at.Add(33 * time.Millisecond)
	}
}

// answer types what the box asks for, sometimes too early.
func (c *careless) answer() {
	box, ok := c.app.dialog.(*confirm.Box)
	if !ok {
		c.key("esc", false)
		c.key([]string{"c", "u", "r", "e"}[c.random.IntN(4)], false)
		return
	}
	c.pause()
	c.at = c.at.Add(time.Duration(c.random.IntN(2)) * time.Second)
	for range box.Agreed {
		c.pause()
		c.key("space", false)
	}
	c.pause()
	for _, r := range box.Question.Answer {
		c.key(string(r), false)
		c.at = c.at.Add(120 * time.Millisecond)
	}
	c.key("enter", false)
}

func (c *careless) key(key string, repeat bool) {
	press := keyPress(key)
	press.IsRepeat = repeat
	c.act(key, press)
}

// act does it and judges what came of it.
func (c *careless) act(name string, msg tea.Msg) {
	c.did = append(c.did, name)
	before, plan := "", c.plan()
	if plan != nil {
		before = screen(c.app)
	}
	key, isKey := msg.(tea.KeyPressMsg)
	ready := c.armed || c.at.Sub(c.drawn) >= 500*time.Millisecond && c.at.Sub(c.pressed) >= 300*time.Millisecond
	if isKey && c.box != nil {
		if c.armed = c.armed || ready && !key.IsRepeat; !c.armed {
			c.pressed = c.at
		}
	}
	runs := len(c.actor.run)
	send(c.t, c.app, msg)
	if len(c.actor.run) > runs {
		c.ran++
		if wrong := c.judge(before, plan, key, isKey, ready); wrong != "" {
			c.t.Fatalf("%s; after %q on\n%s", wrong, c.did[max(0, len(c.did)-30):], before)
		}
	}
	if _, size := msg.(tea.WindowSizeMsg); size || c.app.dialog != c.box {
		c.box, c.drawn, c.pressed, c.armed = c.app.dialog, c.at, time.Time{}, false
	}
}

// plan is that of the box on the screen; nil without one.
func (c *careless) plan() *plan.Plan {
	if box, ok := c.app.dialog.(*confirm.Box); ok {
		return box.Plan
	}
	return nil
}

// judge says what was wrong with what just ran; "" if nothing was.
func (c *careless) judge(before string, plan *plan.Plan, key tea.KeyPressMsg, isKey, ready bool) string {
	answer, asks := "y", fmt.Sprintf("y %s   esc cancel", plan.Does)
	if plan.PodsTerminated > 0 {
		answer = fmt.Sprint(plan.PodsTerminated)
		if strings.HasPrefix(c.app.Context, "prod") {
			answer = c.app.Context
		}
		asks = answer + "▏"
	}
	switch {
	case !isKey:
		return "something else than a key confirms"
	case key.IsRepeat:
		return "a key that is held confirms"
	case !ready:
		return "a box confirms that is not armed"
	case answer == "y" && key.String() != "y" || answer != "y" && key.String() != "enter":
		return "the wrong key confirms: " + key.String()
	case !strings.Contains(before, asks):
		return "the answer was not on the screen: " + asks
	case strings.Contains(before, "[ ]"):
		return "something was not agreed to"
	case c.actor.run[len(c.actor.run)-1] != plan:
		return "another plan runs than was on the screen"
	}
	return ""
}
