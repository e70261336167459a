package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// lookedBack is what is known of shop/checkout when all was looked at, and what was
// known before.
func lookedBack() (done, before *podhistory.History) {
	at := func(step int) time.Time { return now.Add(time.Duration(step-14) * time.Minute) }
	h := &podhistory.History{Step: 14}
	no := "0 of 12 nodes fit. Closest: std-b-02 needs cpu 350m more."
	h.Add(14, at(14), true, report.Unschedulable, no)
	h.Add(13, at(13), true, report.Unschedulable, no)
	partly := *h
	partly.Spans = slices.Clone(h.Spans)
	h.Add(12, at(12), true, report.Unschedulable, no)
	h.Add(11, at(11), false, "", "read rec/20261120T140141Z.json.zst: not a snapshot and not output of kubectl get: the file is truncated")
	h.Add(10, at(10), false, report.Unschedulable, "0 of 12 nodes fit. Closest: std-b-02 needs cpu 100m more.")
	h.Add(9, at(9), false, report.Schedulable, "It fits 2 nodes now, std-b-02 first.")
	h.Fitted = &podhistory.Fitted{Step: 9, Next: 10, Taken: at(9), Later: at(10), Nodes: []podhistory.FittedNode{
		{Name: "std-b-02", Alone: true, Takers: []podhistory.Taker{{Namespace: "batch", Name: "report-1", Node: "std-b-02", Holds: "cpu 4, memory 8Gi"}}},
		{Name: "spot-a-01", Changes: []string{"cordoned"}},
		{Name: "std-c-01"},
	}}
	h.Done = true
	return h, &partly
}

// onCheckout is the dashboard of a recording with shop/checkout selected.
func onCheckout(t *testing.T, width, height int) (*App, *fakeRecording) {
	t.Helper()
	app, r := newRecordingApp(t, width, height, 14)
	press(t, app, "j", "j", "j", "j")
	if name := app.history.top().Selected().Copy; !strings.HasPrefix(name, "shop/checkout-") {
		t.Fatalf("%s is selected", name)
	}
	return app, r
}

func TestSinceWhenAndWhoTookTheRoomIsDrawn(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}} {
		t.Run(size.name, func(t *testing.T) {
			app, r := onCheckout(t, size.width, size.height)
			done, before := lookedBack()
			r.looks = []*podhistory.History{before, done}
			press(t, app, "H")
			requireScreen(t, app)
		})
	}
}

func TestLookingBackTellsHowFarItIs(t *testing.T) {
	app, r := onCheckout(t, 80, 24)
	done, before := lookedBack()
	r.looks = []*podhistory.History{before, done}
	_, look := app.Update(keyPress("H"))
	requireRow(t, app, 2, "Looking back from this step.")
	_, further := app.Update(resultOf(t, look))
	requireRow(t, app, 2, "Searching: no node fits from step 13 on; step 12 is next.")
	// The page is left before the answer, and goes on when it is shown again.
	press(t, app, "esc")
	run(t, app, further, 0)
	r.looks = []*podhistory.History{done}
	press(t, app, "-")
	if len(r.looks) > 0 {
		t.Error("an answer was taken that nobody waits for")
	}
	requireRow(t, app, 2, "No node would have fit since step 10: report-1 took the capacity on std-b-02.")
	if want := []int{14}; !slices.Equal(r.lookedFrom, want) {
		t.Errorf("it looked back from %v, want %v", r.lookedFrom, want)
	}
}

func TestLookingBackGoesAlongWithTheSteps(t *testing.T) {
	app, r := onCheckout(t, 80, 24)
	done, _ := lookedBack()
	r.looks = []*podhistory.History{done, done}
	press(t, app, "H")
	send(t, app, snapshotMsg{snapshot: recorded(15)})
	if want := []int{14, 15}; !slices.Equal(r.lookedFrom, want) {
		t.Errorf("it looked back from %v, want %v", r.lookedFrom, want)
	}
	empty := recorded(16)
	empty.Pods, empty.Pending = nil, nil
	send(t, app, snapshotMsg{snapshot: empty})
	requireRow(t, app, 2, "The pod does not exist at step 16.")
	r.blind = errors.New("read x: the file is truncated")
	send(t, app, snapshotMsg{snapshot: recorded(17)})
	requireRow(t, app, 2, "Unknown: read x: the file is truncated")
}

func TestAPodWithANodeWaitsForNone(t *testing.T) {
	app, r := newRecordingApp(t, 80, 24, 14)
	press(t, app, "2", "j", "H")
	requireRow(t, app, 23, " H history: batch/report-0 has a node already.")
	press(t, app, "3", "H")
	if r.lookedFrom != nil || app.history.top().Crumbs()[0] != "nodes" {
		t.Errorf("H on a node looks back from %v", r.lookedFrom)
	}
}
