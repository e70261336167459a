package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// cordonBox opens the box of the mock-up.
func cordonBox(t *testing.T, width, height int, context string, with func(*Options)) *acted {
	t.Helper()
	d := newActed(t, width, height, context, with)
	d.actor.dress = func(plan *plan.Plan) {
		plan.Effects = append(plan.Effects, "Pending shop/checkout is still unschedulable and loses its closest node.")
	}
	d.node("std-b-02")
	d.press("c")
	return d
}

func TestAHarmlessChangeIsAskedAsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			d := cordonBox(t, size.width, size.height, "staging-eu", nil)
			d.wait(time.Second)
			requireScreen(t, d.app)
		})
	}
	t.Run("ascii", func(t *testing.T) {
		d := cordonBox(t, 80, 24, "prod-eu", func(o *Options) { o.ASCII, o.Theme = true, "mono" })
		d.wait(time.Second)
		requireScreen(t, d.app)
	})
	t.Run("not armed yet", func(t *testing.T) {
		requireColours(t, cordonBox(t, 80, 24, "prod-eu", nil).app)
	})
	t.Run("armed", func(t *testing.T) {
		d := cordonBox(t, 80, 24, "prod-eu", nil)
		d.wait(time.Second)
		requireColours(t, d.app)
	})
}

func TestYConfirmsAndIsToldWhatTakesItBack(t *testing.T) {
	d := cordonBox(t, 80, 24, "staging-eu", nil)
	d.press("y")
	if len(d.actor.run) != 1 || d.actor.run[0].Action.Name() != "cordon std-b-02" || d.app.dialog != nil {
		t.Fatalf("ran %v:\n%s", d.actor.run, screen(d.app))
	}
	if got := screenRow(d.app, message); got != " Cordoned std-b-02. z opens Activity to undo it." {
		t.Errorf("says %q", got)
	}
}

func TestNothingElseAnswersTheBox(t *testing.T) {
	for _, c := range []struct {
		does string
		do   func(*acted)
		open bool // the box stays
	}{
		{"esc", func(d *acted) { d.press("esc") }, false},
		{"ctrl-c", func(d *acted) { d.press("ctrl+c") }, false},
		{"enter", func(d *acted) { d.press("enter") }, true},
		{"a paste", func(d *acted) { d.wait(time.Second); send(d.t, d.app, tea.PasteMsg{Content: "y\ny\n"}) }, true},
		{"the mouse", func(d *acted) {
			d.wait(time.Second)
			for y := range 24 {
				send(d.t, d.app, tea.MouseClickMsg{X: 12, Y: y, Button: tea.MouseLeft})
			}
		}, true},
		{"a key before it is armed", func(d *acted) { d.wait(400 * time.Millisecond); press(d.t, d.app, "y") }, true},
		{"a key among others, once it is armed", func(d *acted) {
			d.wait(time.Second)
			for _, key := range []string{"c", "y", "r", "y"} {
				press(d.t, d.app, key)
			}
		}, true},
		{"a y that another key follows at once, as in a paste without its marks", func(d *acted) {
			d.wait(time.Second)
			var late []tea.Cmd
			d.app.after = func(_ time.Duration, msg func(time.Time) tea.Msg) tea.Cmd {
				late = append(late, func() tea.Msg { return msg(d.at) })
				return nil
			}
			press(d.t, d.app, "y", "e", "s")
			if len(late) == 0 {
				d.t.Fatal("nothing waits for what follows the y")
			}
			for _, cmd := range late {
				send(d.t, d.app, cmd())
			}
		}, true},
		{"a key in a row of keys", func(d *acted) {
			for range 20 {
				d.wait(200 * time.Millisecond)
				press(d.t, d.app, "y")
			}
		}, true},
		{"a repeat of a held key", func(d *acted) {
			d.wait(time.Second)
			send(d.t, d.app, tea.KeyPressMsg{Code: 'y', Text: "y", IsRepeat: true})
		}, true},
		{"a key held from before the box, where the terminal does not tell", func(d *acted) {
			for range 200 {
				d.wait(33 * time.Millisecond)
				press(d.t, d.app, "y")
			}
		}, true},
		{"a key right after the size changed", func(d *acted) {
			d.wait(time.Second)
			send(d.t, d.app, tea.WindowSizeMsg{Width: 100, Height: 30})
			press(d.t, d.app, "y")
		}, true},
		{"a key on a terminal that is too small to show the box", func(d *acted) {
			send(d.t, d.app, tea.WindowSizeMsg{Width: 40, Height: 10})
			d.press("y")
		}, true},
	} {
		d := cordonBox(t, 80, 24, "staging-eu", nil)
		c.do(d)
		if len(d.actor.run) != 0 {
			t.Errorf("%s confirms", c.does)
		}
		if open := d.app.dialog != nil; open != c.open {
			t.Errorf("after %s the box is open: %v", c.does, open)
		}
	}
}

func TestAnObjectThatChangedIsPlannedAndAskedAnew(t *testing.T) {
	d := cordonBox(t, 80, 24, "staging-eu", nil)
	d.actor.runErrs = []error{&plan.ChangedError{Target: plan.NodeRef("std-b-02"), Cause: errors.New("conflict")}}
	d.press("y")
	if len(d.actor.asked) != 2 || d.app.dialog == nil {
		t.Fatalf("asked for %v:\n%s", d.actor.asked, screen(d.app))
	}
	press(t, d.app, "y")
	if len(d.actor.run) != 1 {
		t.Error("the second box takes an answer before it is armed")
	}
	d.wait(time.Second)
	requireScreen(t, d.app)
	d.press("y")
	if len(d.actor.run) != 2 {
		t.Error("the second box takes no answer")
	}
}

// What was done before an object turned out to have changed stands in the next box, also where that can only be closed.
func TestWhatWasDoneBeforeAChangedObjectIsTold(t *testing.T) {
	d := cordonBox(t, 80, 24, "staging-eu", nil)
	d.actor.runErrs = []error{&plan.ChangedError{Target: plan.NodeRef("std-b-02"), Cause: errors.New("conflict")}}
	d.actor.partly = []plan.Change{{Target: plan.NodeRef("std-a-01")}, {Target: plan.NodeRef("std-a-02")}}
	d.actor.dress = func(p *plan.Plan) { p.Verdict.Rejections = []string{"not tonight."} }
	d.press("y")
	drawn := screen(d.app)
	for _, want := range []string{"Done already: std-a-01, std-a-02. std-b-02 changed while you were", "Nothing more will be changed. The plan was:"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("the box lacks %q:\n%s", want, drawn)
		}
	}
}

func TestWhatThePlanOrTheRunMeetsIsTold(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.actor.planErr = fmt.Errorf("cordon std-b-02: %w", plan.ErrGone)
	d.node("std-b-02")
	d.press("c")
	if got := screenRow(d.app, message); got != " cordon std-b-02: it no longer exists" {
		t.Errorf("says %q", got)
	}
	d.actor.planErr = nil
	d.actor.runErrs = []error{errors.New(`change std-b-02: admission webhook "w" denied the request: frozen`)}
	d.press("c", "y")
	if got := screenRow(d.app, message); !strings.Contains(got, "denied the request: frozen") {
		t.Errorf("says %q", got)
	}
}

func TestARefusedDryRunAsksNothing(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.actor.dress = func(plan *plan.Plan) {
		plan.Verdict.Rejections = []string{`admission webhook "nodes.example.com" denied the request: nodes are frozen until Monday.`}
	}
	d.node("std-b-02")
	d.press("c")
	d.wait(time.Second)
	requireScreen(t, d.app)
	d.press("y")
	if len(d.actor.run) != 0 {
		t.Error("runs what the server refuses")
	}
}

func TestWhilePlanningOnlyEscWorks(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.node("std-b-02")
	_, cmd := d.app.Update(keyPress("c"))
	if got := screenRow(d.app, message); got != " planning cordon std-b-02; esc cancels" {
		t.Errorf("says %q", got)
	}
	press(t, d.app, "1", "y", "enter")
	if got := screenRow(d.app, header); !strings.Contains(got, "nodes") {
		t.Errorf("another key acts: %s", got)
	}
	press(t, d.app, "esc")
	run(t, d.app, cmd, 0)
	if d.app.dialog != nil || screenRow(d.app, message) != "" {
		t.Errorf("a plan that was left opens its box:\n%s", screen(d.app))
	}
}
