package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// tolerant is prod-eu where of the 31 pods of std-b-02 19 tolerate the taint of
// the mock-up and 3 do for 300 seconds.
func tolerant() *prodEU {
	c := newProdEU()
	n := 0
	for _, p := range c.pods {
		if p.Spec.NodeName != "std-b-02" {
			continue
		}
		toleration := corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
		if n++; n > 19 {
			toleration.TolerationSeconds = new(int64(300))
		}
		if n <= 22 {
			p.Spec.Tolerations = []corev1.Toleration{toleration}
		}
	}
	return c
}

func taintEdit(t *testing.T, width, height int, with func(*Options)) *acted {
	t.Helper()
	d := newActedOn(t, width, height, "staging-eu", tolerant(), with)
	d.node("std-b-02")
	d.press("t")
	return d
}

func TestATaintIsTypedAsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			d := taintEdit(t, size.width, size.height, nil)
			d.write("dedicated=gpu:No")
			press(t, d.app, "down", "down")
			requireScreen(t, d.app)
		})
	}
	t.Run("mono", func(t *testing.T) {
		d := taintEdit(t, 80, 24, func(o *Options) { o.ASCII, o.Theme = true, "mono" })
		d.write("ded")
		press(t, d.app, "down")
		requireColours(t, d.app)
	})
	t.Run("something wrong", func(t *testing.T) {
		d := taintEdit(t, 80, 24, nil)
		d.write("a=b=c:NoSchedule")
		press(t, d.app, "enter")
		requireScreen(t, d.app)
	})
}

func TestEnterPlansWhatIsTypedOrChosen(t *testing.T) {
	for _, c := range []struct {
		does, typed string
		keys        []string
		want        string
	}{
		{"what is typed", "new=x:NoSchedule", []string{"enter"}, "taint std-b-02 new=x:NoSchedule"},
		{"what is chosen", "ded", []string{"down", "enter"}, "taint std-b-02 dedicated=gpu:NoSchedule"},
		{"what tab completes", "ded", []string{"tab", "enter"}, "taint std-b-02 dedicated=gpu:NoSchedule"},
		{"two words", "a=b:NoSchedule ded", []string{"tab", "enter"}, "taint std-b-02 a=b:NoSchedule dedicated=gpu:NoSchedule"},
		{"what is chosen and left again", "new=x:NoSchedule", []string{"down", "up", "enter"}, "taint std-b-02 new=x:NoSchedule"},
	} {
		d := taintEdit(t, 80, 24, nil)
		d.write(c.typed)
		press(t, d.app, c.keys...)
		if n := len(d.actor.asked); n != 1 || d.actor.asked[0].Name() != c.want {
			t.Errorf("%s: planned %v, not %s\n%s", c.does, d.actor.asked, c.want, screen(d.app))
		}
	}
}

func TestATypedWishThatMakesNoSenseIsNotPlanned(t *testing.T) {
	d := taintEdit(t, 80, 24, nil)
	send(t, d.app, tea.PasteMsg{Content: "dedicated=gpu:Never"})
	press(t, d.app, "enter")
	if len(d.actor.asked) != 0 || d.app.dialog == nil {
		t.Errorf("planned %v", d.actor.asked)
	}
	press(t, d.app, "esc")
	if d.app.dialog != nil {
		t.Error("esc does not leave")
	}
}

func TestLabelsAreTyped(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.node("std-b-02")
	d.press("l")
	d.write("disk")
	press(t, d.app, "down")
	requireScreen(t, d.app)
	press(t, d.app, "enter")
	if len(d.actor.asked) != 0 {
		t.Fatal("a key without its value is planned")
	}
	d.write("hdd")
	press(t, d.app, "enter")
	if n := len(d.actor.asked); n != 1 || d.actor.asked[0].Name() != "label std-b-02 disktype=hdd" {
		t.Fatalf("planned %v\n%s", d.actor.asked, screen(d.app))
	}
	d.press("y")
	if got := screenRow(d.app, message); got != " Labeled std-b-02 disktype=hdd. z opens Activity to undo it." {
		t.Errorf("says %q", got)
	}
}

func TestTheMenuHasEveryActionWithWhyNot(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
	}{
		{"a node", []string{"3", "a"}},
		{"two nodes", []string{"3", "space", "space", "a"}},
		{"a pod that runs", []string{"2", "a"}},
		{"pods that wait", []string{"1", "j", "j", "j", "j", "a"}},
		{"a gated pod", []string{"1", "G", "k", "a"}},
		{"a group of Why", []string{"1", "j", "enter", "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newActed(t, 80, 24, "prod-eu", nil)
			press(t, d.app, c.keys...)
			requireScreen(t, d.app)
		})
	}
}

func TestTheMenuBeginsActions(t *testing.T) {
	for _, c := range []struct {
		does string
		keys []string
		want string
	}{
		{"its key", []string{"3", "a", "c"}, "cordon gpu-a-01"},
		{"enter", []string{"3", "a", "enter"}, "cordon gpu-a-01"},
		{"an action without a key", []string{"1", "G", "k", "a", "down", "down", "enter"}, "remove gates of batch/nightly-29xk1"},
	} {
		d := newActed(t, 80, 24, "staging-eu", nil)
		press(t, d.app, c.keys...)
		if n := len(d.actor.asked); n != 1 || d.actor.asked[0].Name() != c.want {
			t.Errorf("%s plans %v", c.does, d.actor.asked)
		}
	}
	d := newActed(t, 80, 24, "staging-eu", nil)
	press(t, d.app, "3", "a", "u")
	if got := screenRow(d.app, message); d.app.dialog == nil || got != " uncordon: gpu-a-01 is not cordoned." {
		t.Errorf("says %q", got)
	}
}

func TestAWorkloadIsScaledByANumber(t *testing.T) {
	d := newActed(t, 80, 24, "staging-eu", nil)
	d.press("2")
	d.mark("web/front-5d8f9c6b4-8sd2l")
	d.press("a")
	menu := d.app.dialog.(*dialog.Menu)
	for i, item := range menu.Items {
		if item.Word == keyless[keymap.Scale] {
			menu.Chosen = i
		}
	}
	press(t, d.app, "enter")
	press(t, d.app, "enter")
	if len(d.actor.asked) != 0 || !strings.Contains(screen(d.app), "Type a number.") {
		t.Fatalf("planned %v:\n%s", d.actor.asked, screen(d.app))
	}
	d.write("x-5.")
	requireScreen(t, d.app)
	press(t, d.app, "enter")
	want := plan.Scale{Ref: model.Ref{Resource: "deployments/scale", Namespace: "web", Name: "front"}, Replicas: 5}
	if n := len(d.actor.asked); n != 1 || d.actor.asked[0] != want {
		t.Errorf("planned %v", d.actor.asked)
	}
}

func TestAContextIsAllowedToBeChangedByAsking(t *testing.T) {
	d := newActed(t, 80, 24, "prod-eu", nil)
	d.actor.readOnly = "read-only for this context. :write asks to raise it."
	d.press("3", ":")
	write(t, d.app, "write")
	press(t, d.app, "enter", "y")
	if d.actor.raised {
		t.Fatal("a box that was just drawn takes an answer")
	}
	d.wait(1e9)
	requireScreen(t, d.app)
	d.press("y")
	if !d.actor.raised || strings.Contains(screenRow(d.app, header), "READ-ONLY") {
		t.Errorf("it stays read-only:\n%s", screen(d.app))
	}
	d = newActed(t, 80, 24, "prod-eu", func(o *Options) { o.ReadOnly = true })
	d.actor.readOnly = "read-only, set by --readonly for this session"
	d.press("3", ":")
	write(t, d.app, "write")
	press(t, d.app, "enter")
	if got := screenRow(d.app, message); d.app.dialog != nil || got != " write: read-only, set by --readonly for this session." {
		t.Errorf("says %q", got)
	}
}
