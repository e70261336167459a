package cluster

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestSnapshotHoldsWhatTheInformersSaw(t *testing.T) {
	client := newClient(node("a", "4"), pod("runs", "1", "a"), pod("waits", "8", ""))
	c := open(t, newSource(client), Options{})
	s := read(t, c)
	if got, want := podNames(s), []string{"runs", "waits"}; !slices.Equal(got, want) {
		t.Errorf("pods %v, want %v", got, want)
	}
	if len(s.Nodes) != 1 || len(s.Nodes[0].Pods) != 1 {
		t.Errorf("node a does not hold its pod: %+v", s.Nodes)
	}
	if _, err := client.CoreV1().Pods("shop").Create(t.Context(), pod("late", "1", ""), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, c, "the pod that came late", func(s *model.Snapshot) bool {
		return slices.Equal(podNames(s), []string{"late", "runs", "waits"})
	})
	if err := client.CoreV1().Pods("shop").Delete(t.Context(), "waits", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, c, "the deleted pod gone", func(s *model.Snapshot) bool {
		return slices.Equal(podNames(s), []string{"late", "runs"})
	})
}

func TestReportAndSnapshotCarryTheSameRevision(t *testing.T) {
	c := open(t, newSource(newClient(node("a", "4"), pod("waits", "8", ""))), Options{})
	s := read(t, c)
	r, err := c.Ask(t.Context(), report.Query{Target: report.PodOf("pod-waits"), Parts: report.Nodes})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != report.Unschedulable {
		t.Errorf("verdict %s, want %s", r.Verdict, report.Unschedulable)
	}
	if r.Revision != s.Revision {
		t.Errorf("report of revision %d, snapshot of %d", r.Revision, s.Revision)
	}
}

func TestSnapshotsKeepTheirPace(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Unix(0, 0))
	client := newClient(node("a", "4"))
	c := open(t, newSource(client), Options{Clock: clock})
	first := next(t, c) // at once: no step of the clock was needed
	feed := c.feed.Load()
	stepUntil(t, clock, func() bool { return isClosed(c.ready) }) // after it was published
	drainAll(c)
	feed.queue.nudge() // where the clock was moved once more than that needed
	awaitPause(t, clock)
	if _, err := client.CoreV1().Pods("shop").Create(t.Context(), pod("one", "1", ""), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, "the change in the queue", func() bool {
		feed.queue.mu.Lock()
		defer feed.queue.mu.Unlock()
		return len(feed.queue.changes) == 1
	})
	if len(c.snapshots) != 0 {
		t.Error("a snapshot came before its time")
	}
	clock.Step(interval)
	second := next(t, c)
	if second.Revision <= first.Revision || !slices.Equal(podNames(second), []string{"one"}) {
		t.Errorf("revision %d with pods %v after revision %d", second.Revision, podNames(second), first.Revision)
	}
}

func TestNewestSnapshotReplacesOneThatNobodyTook(t *testing.T) {
	client := newClient(node("a", "4"))
	c := open(t, newSource(client), Options{})
	read(t, c)
	for i := range 20 {
		if _, err := client.CoreV1().Pods("shop").Create(t.Context(), pod(fmt.Sprintf("p%02d", i), "1", ""), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	before := int64(0)
	until(t, c, "all pods", func(s *model.Snapshot) bool {
		if s.Revision <= before {
			t.Errorf("revision %d after %d", s.Revision, before)
		}
		before = s.Revision
		return len(s.Pods) == 20
	})
}

func TestFirstRowsStandUntilTheListsAreIn(t *testing.T) {
	client := newClient(node("a", "4"), node("b", "4"), pod("runs", "1", "a"), pod("waits", "8", ""))
	release := make(chan struct{})
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		<-release
		return false, nil, nil
	})
	source := newSource(client)
	source.First = func(context.Context) (*First, error) {
		return &First{Nodes: []*corev1.Node{node("a", "4")}, Pods: []*corev1.Pod{pod("waits", "8", "")}}, nil
	}
	c := open(t, source, Options{})
	s := until(t, c, "the first rows", func(s *model.Snapshot) bool { return len(s.Pods) == 1 })
	if len(s.Status.Reading) == 0 {
		t.Error("the first rows pass for everything")
	}
	if len(s.Nodes) != 1 || len(s.Pending) != 1 {
		t.Errorf("%d nodes and %d kinds of pending pods, want 1 and 1", len(s.Nodes), len(s.Pending))
	}
	if _, err := c.Ask(t.Context(), report.Query{Target: report.PodOf("pod-waits"), Parts: report.Nodes}); !errors.Is(err, ErrReading) {
		t.Errorf("explained before all was in: %v", err)
	}
	close(release)
	s = until(t, c, "the lists", func(s *model.Snapshot) bool { return len(s.Nodes) == 2 })
	if got, want := podNames(s), []string{"runs", "waits"}; !slices.Equal(got, want) {
		t.Errorf("pods %v, want %v", got, want)
	}
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), report.Query{Target: report.PodOf("pod-waits"), Parts: report.Nodes}); err != nil {
		t.Errorf("explain after all was in: %v", err)
	}
}

func TestStatusAloneMakesASnapshot(t *testing.T) {
	source := newSource(newClient(node("a", "4")))
	changed := make(chan struct{}, 1)
	var lost atomic.Bool
	source.Changed = changed
	source.Status = func() model.Status {
		return model.Status{Connection: model.Connection{Live: !lost.Load()}}
	}
	c := open(t, source, Options{})
	read(t, c)
	lost.Store(true)
	changed <- struct{}{}
	until(t, c, "the lost connection", func(s *model.Snapshot) bool { return !s.Status.Connection.Live })
}

func TestRightThatChangesBringsANewSource(t *testing.T) {
	before := newClient(node("a", "4"), pod("waits", "8", ""))
	after := newClient(node("a", "4"), pod("waits", "8", ""), pod("other", "8", ""))
	stale := make(chan struct{})
	source := newSource(before)
	source.Stale = stale
	tries := 0
	clock := clocktesting.NewFakeClock(time.Unix(0, 0))
	c := open(t, source, Options{Clock: clock, Reopen: func(context.Context) (*Source, error) {
		if tries++; tries == 1 {
			return nil, errors.New("not yet")
		}
		return newSource(after), nil
	}})
	stepUntil(t, clock, func() bool { return c.feed.Load().settled.Load() })
	last := next(t, c).Revision
	close(stale)
	first := c.feed.Load()
	for c.feed.Load() == first || !c.feed.Load().settled.Load() {
		clock.Step(reopenPause)
		select {
		case s := <-c.snapshots:
			if s.Revision <= last {
				t.Fatalf("revision %d after %d", s.Revision, last)
			}
			if len(s.Pods) == 0 {
				t.Fatal("the rows were gone while the new source was read")
			}
			last = s.Revision
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := c.Ask(t.Context(), report.Query{Target: report.PodOf("pod-other"), Parts: report.Nodes}); err != nil {
		t.Errorf("explain what only the new source has: %v", err)
	}
}

func TestPodsThatWereRefusedStandBesideThoseThatWait(t *testing.T) {
	source := newSource(newClient(node("a", "4"), pod("waits", "8", "")))
	changed := make(chan struct{}, 1)
	var refused atomic.Pointer[[]*model.NotCreated]
	source.Changed = changed
	source.NotCreated = func() []*model.NotCreated {
		if all := refused.Load(); all != nil {
			return *all
		}
		return nil
	}
	c := open(t, source, Options{})
	read(t, c)
	tell := func(all ...*model.NotCreated) {
		refused.Store(&all)
		changed <- struct{}{}
	}
	missing := pod("", "1", "")
	missing.UID = "not-created"
	tell(&model.NotCreated{Pod: missing, Wanted: 3, Missing: 2, Message: "no"})
	s := until(t, c, "the refused pods", func(s *model.Snapshot) bool { return len(s.Pending) == 2 })
	if last := s.Pending[1]; last.Count() != 2 || s.Waiting() != 1 || len(s.Pods) != 1 {
		t.Errorf("%d pods could not be created, %d wait, there are %d", last.Count(), s.Waiting(), len(s.Pods))
	}
	outlines := c.Outlines()
	for _, ask := range []func() (*report.Report, error){
		func() (*report.Report, error) {
			return c.Ask(t.Context(), report.Query{Target: report.PodOf(missing.UID), Parts: report.Nodes})
		},
		func() (*report.Report, error) { return outlines.Of(t.Context(), s.Pending[1].Key, missing.UID) },
		func() (*report.Report, error) { return outlines.Of(t.Context(), s.Pending[1].Key, missing.UID) },
	} {
		r, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != report.NotCreated || r.Admission.Missing != 2 || r.Admission.Message != "no" {
			t.Errorf("got %s, %+v", r.Verdict, r.Admission)
		}
	}
	if fixed, err := c.Ask(t.Context(), report.Query{Target: report.PodOf(missing.UID), Parts: report.FixesPart}); err != nil || fixed.Tried.None == "" {
		t.Errorf("fixes %+v, %v", fixed, err)
	}
	if way, err := c.Ask(t.Context(), report.Query{Target: report.PodOf(missing.UID), Parts: report.Nodes | report.TracePart}); err != nil || way.Verdict != report.NotCreated {
		t.Errorf("way %+v, %v", way, err)
	}
	tell()
	until(t, c, "none of them", func(s *model.Snapshot) bool { return len(s.Pending) == 1 })
	if _, err := c.Ask(t.Context(), report.Query{Target: report.PodOf(missing.UID), Parts: report.Nodes}); !errors.Is(err, explain.ErrNoPod) {
		t.Errorf("explained what is there no more: %v", err)
	}
}

func TestUsageIsAskedForOnlyWhileItIsShown(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Unix(0, 0))
	var asked atomic.Int32
	source := newSource(newClient(node("a", "4")))
	source.Usage = func(context.Context) (*model.Usage, error) {
		asked.Add(1)
		return &model.Usage{Nodes: map[string]model.Amount{"a": {MilliCPU: 7}}}, nil
	}
	c := open(t, source, Options{Clock: clock})
	stepUntil(t, clock, func() bool { return c.feed.Load().settled.Load() })
	if asked.Load() != 0 {
		t.Error("asked though nobody looks")
	}
	c.ShowUsage(true)
	stepFor(t, clock, c, "usage", func(s *model.Snapshot) bool { return s.Usage != nil })
	first := asked.Load()
	stepUntil(t, clock, func() bool { return asked.Load() > first })
	c.ShowUsage(false)
	stepFor(t, clock, c, "no usage", func(s *model.Snapshot) bool { return s.Usage == nil })
	last := asked.Load()
	clock.Step(10 * usagePause)
	if asked.Load() != last {
		t.Error("asked though nobody looks any more")
	}
}

func TestMeasuringThatFailsIsSaid(t *testing.T) {
	source := newSource(newClient(node("a", "4")))
	source.Usage = func(context.Context) (*model.Usage, error) { return nil, errors.New("metrics are ill") }
	c := open(t, source, Options{})
	c.ShowUsage(true)
	until(t, c, "the note", func(s *model.Snapshot) bool { return s.Status.MetricsNote == "metrics are ill" })
}

func TestReportIsRunAgainOnceWhenSomethingElseChanged(t *testing.T) {
	for name, test := range map[string]struct {
		changes int // how many of the runs see a change
		runs    int
		marked  bool
	}{
		"nothing changed":          {0, 1, false},
		"it changed once":          {1, 2, false},
		"it changed in both runs":  {2, 2, true},
		"it changes all the while": {9, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			source := newSource(newClient(node("a", "4"), pod("waits", "8", "")))
			c := open(t, source, Options{})
			read(t, c)
			runs := 0
			caveats, err := c.whole(func(e *explain.Engine) error {
				if runs++; runs <= test.changes {
					c.feed.Load().others.Add(1)
				}
				_, err := e.Ask(t.Context(), report.Query{Target: report.PodOf("pod-waits"), Parts: report.Nodes})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if runs != test.runs {
				t.Errorf("ran %d times, want %d", runs, test.runs)
			}
			if got := slices.Contains(caveats, changedMeanwhile); got != test.marked {
				t.Errorf("marked %v, want %v", got, test.marked)
			}
		})
	}
}

func TestPanicWhileFoldingIsTold(t *testing.T) {
	source := newSource(newClient(node("a", "4")))
	changed := make(chan struct{}, 1)
	var broken atomic.Bool
	source.Changed = changed
	source.Status = func() model.Status {
		if broken.Load() {
			panic("no status")
		}
		return model.Status{}
	}
	c := open(t, source, Options{})
	read(t, c)
	broken.Store(true)
	changed <- struct{}{}
	for {
		if _, err := c.Next(t.Context()); err != nil {
			if got, want := err.Error(), "apply changes: no status"; got != want {
				t.Errorf("error %q, want %q", got, want)
			}
			return
		}
	}
}

func TestCloseEndsEverythingThatWasStarted(t *testing.T) {
	openAndClose := func() {
		c, err := New(t.Context(), newSource(newClient(node("a", "4"), pod("waits", "8", ""))), Options{})
		if err != nil {
			t.Fatal(err)
		}
		read(t, c)
		c.ShowUsage(true)
		if _, err := c.Ask(t.Context(), report.Query{Target: report.PodOf("pod-waits"), Parts: report.Nodes}); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if _, err := c.Next(t.Context()); err != nil && !errors.Is(err, ErrClosed) {
			t.Errorf("next after close: %v", err)
		}
	}
	openAndClose() // what lives as long as the process is started here
	before := runtime.NumGoroutine()
	for range 5 {
		openAndClose()
	}
	await(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

// await waits for a condition that other goroutines bring about.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// awaitPause waits until the folding goroutine waits for the clock.
func awaitPause(t *testing.T, clock *clocktesting.FakeClock) {
	t.Helper()
	await(t, "the folding goroutine to pause", clock.HasWaiters)
}

// stepUntil moves the clock until a condition holds.
func stepUntil(t *testing.T, clock *clocktesting.FakeClock, holds func() bool) {
	t.Helper()
	await(t, "a condition", func() bool {
		if holds() {
			return true
		}
		clock.Step(interval)
		return false
	})
}

// stepFor moves the clock until a snapshot is as wanted.
func stepFor(t *testing.T, clock *clocktesting.FakeClock, c *Cluster, what string, wanted func(*model.Snapshot) bool) {
	t.Helper()
	await(t, what, func() bool {
		clock.Step(interval)
		select {
		case s := <-c.snapshots:
			return wanted(s)
		default:
			return false
		}
	})
}

// drainAll takes a snapshot that is waiting.
func drainAll(c *Cluster) {
	select {
	case <-c.snapshots:
	default:
	}
}

func TestManyObjectsAtOnceAreInTheEngineOnceTheyAreInTheRows(t *testing.T) {
	objects := []apiruntime.Object{node("a", "4"), pod("waits", "8", "")}
	for i := range manyChanges {
		objects = append(objects, pod(fmt.Sprintf("p%04d", i), "1m", "a"))
	}
	c := open(t, newSource(newClient(objects...)), Options{})
	s := read(t, c)
	if len(s.Pods) != manyChanges+1 || len(s.Nodes) != 1 || len(s.Nodes[0].Pods) != manyChanges || s.Moved == 0 || s.Moved > s.Revision {
		t.Errorf("%d pods, moved at %d of %d", len(s.Pods), s.Moved, s.Revision)
	}
	r, err := c.Ask(t.Context(), report.Query{Target: report.PodOf("pod-waits"), Parts: report.Nodes})
	if err != nil || r.Verdict != report.Unschedulable || r.Revision != s.Revision {
		t.Errorf("verdict %+v, %v", r, err)
	}
	again, err := c.Ask(t.Context(), report.Query{Target: report.PodOf("pod-p0000")})
	if err != nil || again.Verdict != report.Scheduled {
		t.Errorf("a pod on a node: %+v, %v", again, err)
	}
}
