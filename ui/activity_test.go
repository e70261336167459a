package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// busy is the dashboard after some changes.
func busy(t *testing.T, width, height int) *acted {
	t.Helper()
	d := newActed(t, width, height, "prod-eu", nil)
	d.node("std-b-02")
	d.press("c", "y")
	undo := d.actor.entries[0].Undo
	entry := func(ago time.Duration, did, result string, ok bool) plan.Entry {
		return plan.Entry{ID: 9, At: d.at.Add(-ago), User: "anna", Context: "arn:aws:eks:eu-central-1:1:cluster/prod-eu", Did: did, Result: result, OK: ok}
	}
	earlier := entry(26*time.Hour, "label shop/cart-0 tier=web", "done", true)
	earlier.ID = 0
	cordoned := entry(3*time.Minute, "cordon std-b-02", "done", true)
	cordoned.Undo = undo
	d.actor.entries = []plan.Entry{
		entry(40*time.Second, "evict batch/report-1", "1 of 1 evicted", true),
		cordoned,
		entry(5*time.Minute, "taint std-c-01 dedicated=gpu:NoExecute", `kube-apiserver: admission webhook "w" denied the request`, false),
		earlier,
	}
	d.press("z")
	return d
}

func TestWhatWasDoneIsListedWithTheNewestUndoSelected(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			requireScreen(t, busy(t, size.width, size.height).app)
		})
	}
}

func TestEnterPlansTheUndo(t *testing.T) {
	d := busy(t, 80, 24)
	d.press("enter")
	if d.app.dialog != nil {
		t.Fatal("the node is not cordoned in this snapshot: there is nothing to undo")
	}
	for i, node := range d.prod.nodes {
		if node.Name == "std-b-02" {
			d.prod.nodes[i] = node.DeepCopy()
			d.prod.nodes[i].Spec.Unschedulable = true
		}
	}
	status := liveStatus()
	d.actor.snapshot = d.prod.at(2, status)
	d.press("enter")
	d.wait(time.Second)
	requireScreen(t, d.app)
	d.press("y")
	if n := len(d.actor.run); n != 2 || d.actor.run[1].Action.Name() != "undo cordon std-b-02" {
		t.Errorf("ran %v", d.actor.run)
	}
	if got := screenRow(d.app, message); got != " Undone: cordon std-b-02." {
		t.Errorf("says %q", got)
	}
}

func TestWhatCannotBeUndoneSaysWhy(t *testing.T) {
	d := busy(t, 80, 24)
	for key, want := range map[string]string{
		"k": " enter undo: it cannot be undone.",
		"G": " enter undo: it was made in an earlier session and cannot be undone here.",
	} {
		d.press(key, "enter")
		if got := screenRow(d.app, message); got != want {
			t.Errorf("says %q, not %q", got, want)
		}
	}
}
