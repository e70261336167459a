package recording

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// play shows a step of a recording of those steps.
func play(t *testing.T, dir string, step int) *Player {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Play(t.Context(), r, step, PlayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// at waits for the whole snapshot of a step, counted from 1. None of another
// step's rows may come under its number.
func at(t *testing.T, p *Player, step, nodes int) *model.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		s, err := p.Next(ctx)
		if err != nil {
			t.Fatalf("wait for step %d: %v", step, err)
		}
		if s.Status.Step != step || len(s.Status.Reading) > 0 {
			continue
		}
		if len(s.Nodes) != nodes {
			t.Fatalf("step %d has %d nodes, want %d", step, len(s.Nodes), nodes)
		}
		return s
	}
}

func TestAPlayerGoesFromStepToStep(t *testing.T) {
	waits := pod("waits", "3", "")
	dir := writeSteps(
		t,
		[]any{node("std-1", "4"), waits},
		[]any{node("std-1", "4"), node("std-2", "2"), pod("took", "2", "std-1"), waits},
		[]any{node("std-1", "4"), node("std-2", "2"), node("std-3", "4"), pod("took", "2", "std-1"), waits},
	)
	p := play(t, dir, 2)
	last := at(t, p, 3, 3)
	if last.Status.Steps != 3 || !last.Status.Taken.Equal(began.Add(2*time.Minute)) {
		t.Errorf("step %d of %d, taken %v", last.Status.Step, last.Status.Steps, last.Status.Taken)
	}
	revision := last.Revision
	for _, test := range []struct {
		step, nodes int
		verdict     report.Verdict
	}{{1, 2, report.Unschedulable}, {0, 1, report.Schedulable}, {1, 2, report.Unschedulable}, {2, 3, report.Schedulable}} {
		if err := p.Go(t.Context(), test.step); err != nil {
			t.Fatal(err)
		}
		s := at(t, p, test.step+1, test.nodes)
		if s.Revision <= revision {
			t.Errorf("step %d: revision %d after %d", test.step+1, s.Revision, revision)
		}
		revision = s.Revision
		report, err := p.Ask(t.Context(), report.Query{Target: report.PodOf("waits")})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != test.verdict || report.Revision > s.Revision {
			t.Errorf("step %d: %s of revision %d, want %s of %d", test.step+1, report.Verdict, report.Revision, test.verdict, s.Revision)
		}
	}
}

func TestManyStepsAtOnceEndAtTheLastOne(t *testing.T) {
	var steps [][]any
	for i := range 12 {
		objects := []any{node("std-0", "4")}
		for range i {
			objects = append(objects, node("std-"+string(rune('a'+len(objects))), "4"))
		}
		steps = append(steps, objects)
	}
	p := play(t, writeSteps(t, steps...), 0)
	for step := range steps {
		if err := p.Go(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	at(t, p, 12, 12)
}

func TestWhatChangedIsComparedWithTheStepBefore(t *testing.T) {
	dir := writeSteps(
		t,
		[]any{node("std-1", "4")},
		[]any{node("std-1", "4"), pod("took", "3", "std-1"), pod("waits", "3", "")},
		[]any{node("std-1", "4"), node("std-2", "4"), pod("took", "3", "std-1"), pod("waits", "3", "std-2")},
	)
	p := play(t, dir, 2)
	for _, test := range []struct {
		step int
		want string
	}{
		{2, "std-2: new, Ready; allocatable cpu 4, memory 8Gi. shop/waits: std-2, requests cpu 3; was pending. "},
		{1, "shop/took: std-1, requests cpu 3; new. shop/waits: requests cpu 3. "},
		{2, "std-2: new, Ready; allocatable cpu 4, memory 8Gi. shop/waits: std-2, requests cpu 3; was pending. "},
	} {
		d, err := p.Changes(t.Context(), test.step)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range d.Nodes {
			got += n.Name + ": " + strings.Join(n.Words, "; ") + ". "
		}
		for _, c := range d.Pods {
			got += c.Pod.FullName() + ": " + c.Words + ". "
		}
		if got != test.want || d.Apart != time.Minute {
			t.Errorf("step %d: %s after %s, want %s", test.step+1, got, d.Apart, test.want)
		}
	}
	if _, err := p.Changes(t.Context(), 0); err == nil || err.Error() != "compare step 1: it is the first step" {
		t.Errorf("the first step: %v", err)
	}
	writeFile(t, p.recording.Path(0), "")
	if _, err := p.Changes(t.Context(), 1); err == nil || !strings.HasPrefix(err.Error(), "compare with step 1: read ") {
		t.Errorf("a broken step: %v", err)
	}
}

func TestThePendingPodsOfAStepAreCountedByNamespace(t *testing.T) {
	p := play(t, writeSteps(
		t,
		[]any{node("std-1", "4"), pod("took", "3", "std-1"), pod("waits", "3", ""), pod("waits-too", "2", "")},
		[]any{node("std-1", "4"), pod("took", "3", "std-1"), pod("waits", "3", "")},
	), 1)
	for step, want := range []int{2, 1} {
		got, err := p.Pending(t.Context(), step)
		if err != nil || len(got) != 1 || got["shop"] != want {
			t.Errorf("step %d: %v, %v, want %d of shop", step+1, got, err, want)
		}
	}
	writeFile(t, p.recording.Path(0), "")
	if _, err := p.Pending(t.Context(), 0); err == nil || !strings.HasPrefix(err.Error(), "count pending pods of step 1: read ") {
		t.Errorf("a broken step: %v", err)
	}
}

func TestABrokenStepLeavesTheShownOne(t *testing.T) {
	dir := writeSteps(t, []any{node("std-1", "4")}, []any{node("std-1", "4")}, []any{node("std-1", "4"), node("std-2", "4")})
	p := play(t, dir, 0)
	at(t, p, 1, 1)
	writeFile(t, p.recording.Path(1), "items:\n")
	if err := p.Go(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "truncated") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a broken step: %v", err)
	}
	if p.File(0) == nil || p.File(1) != nil {
		t.Error("the step that was shown is shown no more")
	}
	if err := p.Go(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	at(t, p, 3, 2)
	if _, err := Play(t.Context(), p.recording, 1, PlayOptions{}); err == nil {
		t.Error("a broken step is played")
	}
}
