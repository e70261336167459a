package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// changedProdEU is what changed in prod-eu from step 13 to 14: a node was cordoned,
// two pods got a node, one went, and three came and wait.
func changedProdEU() *model.Difference {
	was, is := newProdEU(), newProdEU()
	was.refused, is.refused = nil, nil
	for _, n := range was.nodes {
		if n.Name == "spot-a-01" {
			n.Spec.Unschedulable, n.Spec.Taints = false, nil
		}
	}
	was.keep(func(p *corev1.Pod) bool {
		return !slices.Contains([]string{"report-1", "report-2"}, p.Name) && !strings.HasPrefix(p.Name, "checkout-")
	})
	is.keep(func(p *corev1.Pod) bool { return p.Name != "index-0" })
	before, after := liveStatus(), liveStatus()
	before.Taken, after.Taken = now.Add(-time.Minute), now
	return model.Differ(was.at(1, before), is.at(2, after))
}

func TestWhatChangedIsDrawn(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}} {
		t.Run(size.name, func(t *testing.T) {
			app, r := newRecordingApp(t, size.width, size.height, 14)
			r.found = changedProdEU()
			press(t, app, "D")
			requireScreen(t, app)
		})
	}
}

func TestWhatChangedGoesAlongWithTheSteps(t *testing.T) {
	app, r := newRecordingApp(t, 80, 24, 14)
	r.found = &model.Difference{Apart: 90 * time.Second}
	press(t, app, "D")
	requireRow(t, app, 2, "Since step 13, 1m30s earlier: no change that affects scheduling.")
	r.err = errors.New("compare with step 14: read x: the file is truncated")
	send(t, app, snapshotMsg{snapshot: recorded(15)})
	requireRow(t, app, 2, "Unknown: compare with step 14: read x: the file is truncated")
	r.err, r.found = nil, changedProdEU()
	press(t, app, "D") // it is open already
	send(t, app, snapshotMsg{snapshot: recorded(16)}, snapshotMsg{snapshot: recorded(16)})
	requireRow(t, app, 2, "Since step 15: 1 node changed, 2 pods scheduled, 3 new and pending, 1 deleted.")
	if want := []int{14, 15, 16}; !slices.Equal(r.compared, want) {
		t.Errorf("steps %v were compared, want %v", r.compared, want)
	}
	press(t, app, "esc")
	if name := app.history.top().Crumbs()[0]; name != "pending" {
		t.Errorf("esc shows %s", name)
	}
}

func TestTheFirstStepHasNothingBeforeIt(t *testing.T) {
	app, r := newRecordingApp(t, 80, 24, 1)
	press(t, app, "D")
	requireRow(t, app, 2, "This is the first step. There is nothing to compare it with.")
	if r.compared != nil {
		t.Errorf("steps %v were compared", r.compared)
	}
}

func TestThePaletteKnowsWhatChangedInARecordingAlone(t *testing.T) {
	app, _ := newRecordingApp(t, 80, 24, 14)
	press(t, app, ":")
	write(t, app, "changes")
	press(t, app, "enter")
	if name := app.history.top().Crumbs()[0]; name != "changes" {
		t.Errorf("the palette shows %s", name)
	}
	app = newSnapshotApp(t, 80, 24)
	press(t, app, ":")
	write(t, app, "changes")
	press(t, app, "D")
	if strings.Contains(screen(app), "changes since") {
		t.Errorf("a snapshot has changes:\n%s", screen(app))
	}
}
