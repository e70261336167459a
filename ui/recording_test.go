package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
)

// fakeRecording notes the steps that it is sent to.
type fakeRecording struct {
	went   []int
	broken int // a step that cannot be read

	compared []int // the steps whose changes were asked for
	found    *model.Difference
	err      error // of comparing

	counted []int // the steps whose pending pods were counted

	lookedFrom []int                 // the steps that were looked back from
	looks      []*podhistory.History // what is known after each look
	blind      error                 // of looking
}

func (r *fakeRecording) Past(step int, _ types.UID) func(context.Context) (*podhistory.History, error) {
	r.lookedFrom = append(r.lookedFrom, step)
	return func(context.Context) (*podhistory.History, error) {
		if r.blind != nil {
			return nil, r.blind
		}
		history := r.looks[0]
		r.looks = r.looks[1:]
		return history, nil
	}
}

func (r *fakeRecording) Pending(_ context.Context, step int) (map[string]int, error) {
	r.counted = append(r.counted, step)
	if step == r.broken {
		return nil, errors.New("read rec/20261119T140300Z.json.zst: the file is truncated")
	}
	return map[string]int{"shop": step * step, "web": 3}, nil
}

func (r *fakeRecording) Changes(_ context.Context, step int) (*model.Difference, error) {
	r.compared = append(r.compared, step)
	return r.found, r.err
}

func (r *fakeRecording) Go(_ context.Context, step int) error {
	r.went = append(r.went, step)
	if step == r.broken {
		return errors.New("read rec/20261119T140300Z.json.zst: the file is truncated")
	}
	return nil
}

// recorded is prod-eu at a step of sixty, taken a minute apart, the 14th one 18
// hours ago. From step 14 on batch/report-1 is there.
func recorded(step int) *model.Snapshot {
	c := newProdEU()
	c.refused = nil
	status := liveStatus()
	status.Taken, status.Step, status.Steps = now.Add(time.Duration(step-14)*time.Minute), step, 60
	if step < 14 {
		c.keep(func(p *corev1.Pod) bool { return p.Name != "report-1" })
	}
	return c.at(int64(1000+step), status)
}

// newRecordingApp is the dashboard at a step.
func newRecordingApp(t *testing.T, width, height, step int) (*App, *fakeRecording) {
	t.Helper()
	s, r := recorded(step), &fakeRecording{}
	app := newTestAppWith(t, width, height, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) {
		o.Now = func() time.Time { return now.Add(18 * time.Hour) }
		o.Production, o.Session, o.Recording = "", nil, r
	})
	return app, r
}

func TestARecordingIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}} {
		t.Run(size.name, func(t *testing.T) {
			app, _ := newRecordingApp(t, size.width, size.height, 14)
			requireScreen(t, app)
		})
	}
}

func TestThePendingPodsOfARecordingAreDrawnOverItsSteps(t *testing.T) {
	app, r := newRecordingApp(t, 120, 40, 14)
	for range 7 {
		requireRow(t, app, 2, "pending")
		if strings.ContainsAny(row(app, 2), "▁█") {
			t.Errorf("it draws steps that are not read yet: %s", row(app, 2))
		}
		passesOnPending(t, app, page.RestLeast)
	}
	requireRow(t, app, 2, "Oldest 5h.")
	requireRow(t, app, 3, "1 cordoned  steps 1–60 ▁▁▂▂▃▅▆█")
	for _, view := range []string{"nodes", "pools"} {
		runPalette(t, app, view)
		requireRow(t, app, 3, "pending, oldest 5h  steps 1–60 ▁▁▂▂▃▅▆█")
	}
	runPalette(t, app, "pending")
	if want := []int{1, 9, 17, 26, 34, 43, 51, 60}; !slices.Equal(r.counted, want) {
		t.Errorf("it counted the pods of steps %v, want %v", r.counted, want)
	}
	send(t, app, snapshotMsg{snapshot: recorded(15)})
	passesOnPending(t, app, page.RestLeast)
	if len(r.counted) != 8 {
		t.Errorf("another step makes it count again: %v", r.counted)
	}
}

func TestAStepThatCannotBeReadIsUnknownInTheSparkline(t *testing.T) {
	app, r := newRecordingApp(t, 160, 40, 14)
	r.broken = 26
	for range 8 {
		passesOnPending(t, app, page.RestLeast)
	}
	requireRow(t, app, 2, "steps 1–60 ▁▁▂?▃▅▆█")
}

func TestANarrowScreenCountsNoStep(t *testing.T) {
	app, r := newRecordingApp(t, 80, 24, 14)
	passesOnPending(t, app, page.RestLeast)
	if len(r.counted) > 0 {
		t.Errorf("it counted the pods of steps %v", r.counted)
	}
}

func TestTheHeaderLeavesRoomForTheCrumbs(t *testing.T) {
	app, _ := newRecordingApp(t, 80, 24, 14)
	s := recorded(14)
	s.Status.Unread = []model.Unread{{Resource: "events"}}
	press(t, app, "enter")
	send(t, app, snapshotMsg{snapshot: s})
	requireRow(t, app, 1, " prod-eu › … › payments…edger-0 SNAPSHOT READ-ONLY  ! 1 not read  step 14 of 60")
}

func TestCommaAndPointStep(t *testing.T) {
	app, r := newRecordingApp(t, 80, 24, 14)
	press(t, app, ".")
	send(t, app, snapshotMsg{snapshot: recorded(15)})
	press(t, app, ".", "2")
	send(t, app, snapshotMsg{snapshot: recorded(16)})
	press(t, app, ",")
	if want := []int{15, 16, 15}; !slices.Equal(r.went, want) {
		t.Errorf("it went to %v, want %v", r.went, want)
	}
	if header := row(app, 1); !strings.Contains(header, "pods") || !strings.Contains(header, "step 16 of 60") {
		t.Errorf("until the snapshot is there the header says %q", header)
	}
}

func TestStepsThatArePressedFasterThanTheyAreReadAddUp(t *testing.T) {
	app, r := newRecordingApp(t, 80, 24, 14)
	_, first := app.Update(keyPress("."))
	press(t, app, ".", ".", ",", ".") // one is on its way
	send(t, app, stepSlowMsg{nth: app.steps.nth})
	if message := row(app, 23); message != " Reading step 17 of 60." {
		t.Errorf("the message row says %q", message)
	}
	run(t, app, first, 0)
	if want := []int{15, 17}; !slices.Equal(r.went, want) {
		t.Errorf("it went to %v, want %v", r.went, want)
	}
	if message := row(app, 23); strings.Contains(message, "Reading") {
		t.Errorf("when it is there the message row says %q", message)
	}
}

func TestTheEndsOfARecordingSaySo(t *testing.T) {
	for _, test := range []struct {
		step int
		key  string
		want string
	}{{1, ",", " , step: this is the first step."}, {60, ".", " . step: this is the last step."}} {
		app, r := newRecordingApp(t, 80, 24, test.step)
		press(t, app, test.key)
		if message := row(app, 23); message != test.want || r.went != nil {
			t.Errorf("at step %d: %q, want %q; it went to %v", test.step, message, test.want, r.went)
		}
	}
}

func TestABrokenStepIsOneLineAndIsPassed(t *testing.T) {
	app, r := newRecordingApp(t, 120, 24, 14)
	r.broken = 15
	press(t, app, ".")
	if message := row(app, 23); message != " step 15 cannot be read, still showing step 14: read rec/20261119T140300Z.json.zst: the file is truncated" {
		t.Errorf("the message row says %q", message)
	}
	press(t, app, ".")
	send(t, app, snapshotMsg{snapshot: recorded(16)})
	if header := row(app, 1); !strings.Contains(header, "step 16 of 60") {
		t.Errorf("the header says %q", header)
	}
	if message := row(app, 23); strings.Contains(message, "read") {
		t.Errorf("the message row says %q", message)
	}
	if want := []int{15, 16}; !slices.Equal(r.went, want) {
		t.Errorf("it went to %v, want %v", r.went, want)
	}
}

func TestAStepKeepsViewFilterAndSelectionAndNoVerdictOfAnother(t *testing.T) {
	app, _ := newRecordingApp(t, 80, 24, 14)
	press(t, app, "1", "/")
	write(t, app, "shop")
	press(t, app, "enter", "j")
	before := app.history.top().Selected().Copy
	app.verdicts.Asking = true // so that none is asked for
	send(t, app, snapshotMsg{snapshot: recorded(15)})
	if after := app.history.top().Selected().Copy; after != before || !strings.Contains(before, "shop/") {
		t.Errorf("%q is selected, before it was %q", after, before)
	}
	if !strings.Contains(row(app, 2), "/shop: ") {
		t.Errorf("the answer says %q", row(app, 2))
	}
	if len(app.verdicts.Known) != 0 {
		t.Error("verdicts of the step before are shown")
	}
	// What was asked about the step before comes too late.
	old := pending.ExplainedMsg{Key: "x", Verdict: pending.Verdict{Revision: 1014}}
	send(t, app, resultMsg{app.opened, app.pages.pending, old})
	if _, kept := app.verdicts.Known["x"]; kept {
		t.Error("an answer about the step before is kept")
	}
}

func TestTheHeaderNamesTheContextOfTheStep(t *testing.T) {
	app, _ := newRecordingApp(t, 80, 24, 14)
	s := recorded(15)
	s.Status.Context = "staging-eu"
	send(t, app, snapshotMsg{snapshot: s})
	requireRow(t, app, 1, " staging-eu › all › pending")
}

func TestATextOfAnObjectIsFetchedAnewAtAnotherStep(t *testing.T) {
	app, _ := newRecordingApp(t, 80, 24, 14)
	cluster, ok := app.Cluster.(*fakeCluster)
	if !ok {
		t.Fatal("another cluster")
	}
	cluster.text = "as at step 14"
	press(t, app, "3", "y")
	cluster.text = "as at step 15"
	send(t, app, snapshotMsg{snapshot: recorded(15)})
	if !strings.Contains(screen(app), "as at step 15") {
		t.Errorf("the page shows\n%s", screen(app))
	}
}

func TestWhatWasNotReadIsThatOfTheStep(t *testing.T) {
	app, _ := newRecordingApp(t, 120, 24, 14)
	press(t, app, "!")
	requireRow(t, app, 2, "Everything was read.")
	s := recorded(15)
	s.Status.Unread = []model.Unread{{Resource: "nodes", Why: "not allowed to list nodes"}}
	send(t, app, snapshotMsg{snapshot: s})
	requireRow(t, app, 2, "1 resource could not be read.")
	requireRow(t, app, 3, "nodes")
}

func TestThereAreNoStepsWhereNothingWasRecorded(t *testing.T) {
	app := newSnapshotApp(t, 80, 24)
	before := screen(app)
	press(t, app, ",", ".")
	if screen(app) != before || strings.Contains(before, "step") {
		t.Errorf("it steps:\n%s", screen(app))
	}
}

func TestBadgesGiveWayToTheNameOfTheView(t *testing.T) {
	for width, want := range map[int]string{
		120: "SNAPSHOT READ-ONLY  ! 18 not read  step 14 of 60",
		80:  " 20261129T010800Z.json › all › pending   SNAPSHOT  ! 18 not read  step 14 of 60",
		72:  " 20261129T010800Z.json › all › pending    SNAPSHOT  ! 18  step 14 of 60",
		62:  " 20261129…0Z.json › all › pe…ng SNAPSHOT  ! 18  step 14 of 60",
	} {
		app, _ := newRecordingApp(t, width, 24, 14)
		s := *app.observed.Snapshot
		s.Status.Context = "20261129T010800Z.json"
		for i := range 18 {
			s.Status.Unread = append(s.Status.Unread, model.Unread{Resource: fmt.Sprint("resource-", i), Why: "the recording has none"})
		}
		app.Context = s.Status.Context
		app.head.short = app.head.shortContext()
		send(t, app, snapshotMsg{snapshot: &s})
		if row := row(app, 1); !strings.Contains(row, want) || strings.Contains(row, "ngSNAP") {
			t.Errorf("in %d cells: %q, want %q", width, row, want)
		}
	}
}
