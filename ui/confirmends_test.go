package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/confirm"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/edit"
)

// evictBox opens the box of the mock-up of an eviction on production.
func evictBox(t *testing.T, width, height int, context string, with func(*Options)) *acted {
	t.Helper()
	d := newActedOn(t, width, height, context, threeReports(), with)
	d.actor.dress = foretold(reportFates)
	d.press("2")
	for _, name := range []string{"batch/report-1", "batch/report-2", "web/front-5d8f9c6b4-8sd2l"} {
		d.mark(name)
	}
	d.press("e")
	return d
}

// mark marks a row of the list on the screen.
func (d *acted) mark(name string) {
	d.t.Helper()
	press(d.t, d.app, "g")
	for range d.app.observed.Snapshot.Pods {
		if d.app.history.top().Selected().Copy == name {
			press(d.t, d.app, "space")
			return
		}
		press(d.t, d.app, "j")
	}
	d.t.Fatalf("no row %s on the screen:\n%s", name, screen(d.app))
}

// drainBox opens the box of the mock-up of a drain.
func drainBox(t *testing.T, width, height int, context string, with func(*Options)) *acted {
	t.Helper()
	prod := drained()
	d := newActedOn(t, width, height, context, prod, with)
	d.actor.dress, d.actor.filtered = foretold(drainFates()), prod.going
	d.node("std-a-02")
	d.press("r")
	return d
}

func TestEndingPodsOnProductionIsAskedAsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			d := evictBox(t, size.width, size.height, "prod-eu", nil)
			d.wait(time.Second)
			d.write("prod")
			requireScreen(t, d.app)
		})
	}
}

func TestADrainIsAskedAsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			d := drainBox(t, size.width, size.height, "staging-eu", nil)
			d.press("space", "space")
			d.write("1")
			requireScreen(t, d.app)
		})
	}
	t.Run("its consents are open", func(t *testing.T) {
		d := drainBox(t, 80, 24, "staging-eu", nil)
		d.wait(time.Second)
		requireScreen(t, d.app)
	})
	t.Run("on a small terminal it scrolls", func(t *testing.T) {
		d := drainBox(t, 60, 15, "staging-eu", func(o *Options) { o.ASCII, o.Theme = true, "mono" })
		var screens []string
		for range 8 {
			screens = append(screens, screen(d.app))
			d.press("down", "down", "down", "down")
		}
		requireText(t, strings.Join(screens, "\n"))
	})
	t.Run("colors", func(t *testing.T) {
		d := drainBox(t, 80, 24, "prod-eu", nil)
		d.press("space", "down")
		requireColours(t, d.app)
	})
}

func TestTheNumberOfPodsConfirmsADrain(t *testing.T) {
	d := drainBox(t, 80, 24, "staging-eu", nil)
	d.write("11")
	d.press("enter")
	if len(d.actor.run) != 0 {
		t.Fatal("it runs before everything is agreed to")
	}
	d.press("space", "space")
	d.wait(time.Second)
	d.write("12")
	d.press("enter")
	if got := screen(d.app); len(d.actor.run) != 0 || !strings.Contains(got, "no match") {
		t.Fatalf("another number:\n%s", got)
	}
	d.press("backspace")
	d.write("1")
	d.wait(time.Second)
	send(t, d.app, tea.PasteMsg{Content: "1"})
	d.press("enter")
	if len(d.actor.run) != 1 {
		t.Errorf("the number confirms nothing:\n%s", screen(d.app))
	}
}

func TestOnlyDigitsGoInWhereANumberIsTyped(t *testing.T) {
	d := drainBox(t, 80, 24, "staging-eu", nil)
	d.press("space", "space")
	d.wait(time.Second)
	box := d.app.dialog.(*confirm.Box)
	d.write("a1x-é+1 ٣.")
	if got := box.Typed(); got != "11" {
		t.Errorf("typed is %q", got)
	}
	if box.Agreed[0] && box.Agreed[1] {
		t.Error("the blank among them takes no consent back")
	}
	d = evictBox(t, 80, 24, "prod-eu", nil)
	d.wait(time.Second)
	d.write("prod-q")
	if box, ok := d.app.dialog.(*confirm.Box); !ok || box.Typed() != "prod-q" {
		t.Errorf("a name is not typed:\n%s", screen(d.app))
	}
}

// evictOne opens the box for the eviction of one pod.
func evictOne(t *testing.T, context, name string, fates map[string]plan.Fate) *acted {
	t.Helper()
	d := newActedOn(t, 80, 24, context, threeReports(), nil)
	d.actor.dress = foretold(fates)
	d.press("2")
	d.mark(name)
	d.press("e")
	d.wait(time.Second)
	return d
}

func TestOnePodThatIsRescheduledTakesAY(t *testing.T) {
	rescheduled := map[string]plan.Fate{"front-5d8f9c6b4-8sd2l": {Outcome: plan.Lands, Node: "std-c-01", Budget: frontBudget}}
	d := evictOne(t, "staging-eu", "web/front-5d8f9c6b4-8sd2l", rescheduled)
	requireScreen(t, d.app)
	d.press("y")
	if len(d.actor.run) != 1 {
		t.Errorf("y evicts nothing:\n%s", screen(d.app))
	}
	d = evictOne(t, "prod-eu", "web/front-5d8f9c6b4-8sd2l", rescheduled)
	d.press("y")
	if got := screen(d.app); len(d.actor.run) != 0 || !strings.Contains(got, "Type prod-eu to evict 1 pod:") {
		t.Errorf("on production:\n%s", got)
	}
	d = evictOne(t, "staging-eu", "web/front-5d8f9c6b4-8sd2l", reportFates)
	d.press("y")
	if got := screen(d.app); len(d.actor.run) != 0 || !strings.Contains(got, "Type 1 (pods to evict):") {
		t.Errorf("of a pod that becomes Pending:\n%s", got)
	}
}

func TestQClosesABoxAsEscDoes(t *testing.T) {
	number := func(t *testing.T) *acted { return evictOne(t, "staging-eu", "web/front-5d8f9c6b4-8sd2l", reportFates) }
	for name, test := range map[string]struct {
		open  func(*testing.T) *acted
		stays bool // q is typed there
	}{
		"of a y":                          {open: func(t *testing.T) *acted { return cordonBox(t, 80, 24, "staging-eu", nil) }},
		"of a number":                     {open: number},
		"of a number, half typed":         {open: func(t *testing.T) *acted { d := number(t); d.write("1"); return d }},
		"of a number, with open consents": {open: func(t *testing.T) *acted { return drainBox(t, 80, 24, "staging-eu", nil) }},
		"of a name that is typed":         {open: func(t *testing.T) *acted { return evictBox(t, 80, 24, "prod-eu", nil) }, stays: true},
		"of a name, with open consents":   {open: func(t *testing.T) *acted { return drainBox(t, 80, 24, "prod-eu", nil) }, stays: true},
		"that changes no object":          {open: func(t *testing.T) *acted { d, _ := draining(t, 80, 24, nil); d.toDrain(); d.press("Q"); return d }},
		"of all actions": {open: func(t *testing.T) *acted {
			d := newActed(t, 80, 24, "staging-eu", nil)
			d.node("std-b-02")
			d.press("a")
			return d
		}},
		"in which a taint is typed": {open: func(t *testing.T) *acted {
			d := newActed(t, 80, 24, "staging-eu", nil)
			d.node("std-b-02")
			d.press("t")
			return d
		}, stays: true},
		"in which a number of pods is typed": {open: func(t *testing.T) *acted {
			d := newActed(t, 80, 24, "staging-eu", nil)
			edit.Replicas(&d.app.boxes, model.Ref{Namespace: "web", Name: "front"}, model.Owner{Kind: "Deployment", Name: "front"})
			return d
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, key := range []string{"q", "esc"} {
				d := test.open(t)
				if d.app.dialog == nil {
					t.Fatalf("no box is open:\n%s", screen(d.app))
				}
				top := d.app.history.top()
				press(t, d.app, key) // at once: a box is left before it takes an answer
				if open := d.app.dialog != nil; open != (test.stays && key == "q") {
					t.Errorf("after %s the box is open: %v", key, open)
				}
				if len(d.actor.run)+len(d.actor.stopped) != 0 || d.app.history.top() != top {
					t.Errorf("%s does more than close the box", key)
				}
			}
		})
	}
	t.Run("and leaves the planning", func(t *testing.T) {
		d := newActed(t, 80, 24, "staging-eu", nil)
		d.node("std-b-02")
		_, cmd := d.app.Update(keyPress("c"))
		press(t, d.app, "q")
		run(t, d.app, cmd, 0)
		if d.app.dialog != nil {
			t.Error("a plan that was left opens its box")
		}
	})
	t.Run("where nothing is asked, on production too", func(t *testing.T) {
		d := newActed(t, 80, 24, "prod-eu", nil)
		d.actor.dress = func(plan *plan.Plan) { plan.Verdict.Rejections = []string{"frozen."} }
		d.node("std-b-02")
		d.press("c")
		press(t, d.app, "q")
		if d.app.dialog != nil {
			t.Errorf("the box is open:\n%s", screen(d.app))
		}
	})
}

func TestWhatCannotBeEvictedAmongTheMarkedIsSkipped(t *testing.T) {
	d := newActedOn(t, 80, 24, "staging-eu", threeReports(), nil)
	d.actor.dress = foretold(reportFates)
	d.press("2")
	for _, name := range []string{"batch/report-1", "web/front-5d8f9c6b4-t7m4w", "web/front-5d8f9c6b4-8sd2l"} {
		d.mark(name)
	}
	d.press("e")
	d.wait(time.Second)
	requireScreen(t, d.app)
	d.write("2")
	d.press("enter")
	if n := len(d.actor.run); n != 1 || len(d.actor.run[0].Ends) != 2 {
		t.Errorf("ran %v", d.actor.run)
	}
}

func TestWhatIsSoAlreadyAmongTheMarkedIsSkipped(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	for _, name := range []string{"spot-a-01", "std-a-01", "std-b-02"} {
		d.node(name)
		d.press("space")
	}
	d.press("c")
	d.wait(time.Second)
	requireScreen(t, d.app)
}

func TestWhatIsGoneAmongTheMarkedIsSkipped(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	for _, name := range []string{"std-a-01", "std-b-02"} {
		d.node(name)
		d.press("space")
	}
	d.prod.nodes = slices.DeleteFunc(d.prod.nodes, func(n *corev1.Node) bool { return n.Name == "std-b-02" })
	d.actor.snapshot = d.prod.at(2, d.app.observed.Snapshot.Status)
	send(t, d.app, snapshotMsg{snapshot: d.actor.snapshot})
	d.press("c")
	if got := screen(d.app); !strings.Contains(got, "Skips 1 of 2 nodes: std-b-02 (deleted).") {
		t.Errorf("says\n%s", got)
	}
}

func TestWhatWasNotReadIsNotAgreedTo(t *testing.T) {
	d := drainBox(t, 60, 15, "staging-eu", nil)
	d.press("space", "space", "space")
	box := d.app.dialog.(*confirm.Box)
	if box.Agreed[0] || box.Agreed[1] {
		t.Error("space checks what is not in view")
	}
	for range 40 {
		d.press("down")
	}
	if box.Chosen != 1 {
		t.Error("↓ at the end does not choose")
	}
	d.press("space")
	if box.Agreed[0] || !box.Agreed[1] || box.Chosen != 0 {
		t.Errorf("agreed to %v, at %d", box.Agreed, box.Chosen)
	}
}

func TestOnProductionTheContextsNameConfirms(t *testing.T) {
	d := evictBox(t, 80, 24, "prod-eu", nil)
	d.wait(time.Second)
	d.write("3")
	d.press("enter")
	if len(d.actor.run) != 0 {
		t.Fatal("the number of pods is enough")
	}
	d.press("backspace")
	d.write("prod-eu")
	d.press("enter")
	if len(d.actor.run) != 1 {
		t.Errorf("the name confirms nothing:\n%s", screen(d.app))
	}
}

func TestALongContextIsTypedInARowOfItsOwn(t *testing.T) {
	d := evictBox(t, 60, 15, "arn:aws:eks:eu-central-1:123456789012:cluster/prod-customers-and-orders-blue", nil)
	d.wait(time.Second)
	d.write("prod-customers-and-ord")
	requireScreen(t, d.app)
}
