package source

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestReadingAClusterOfAnySizeHasNoMemoryLimit(t *testing.T) {
	reading := func(pods int) *model.Snapshot {
		return &model.Snapshot{Status: model.Status{Reading: map[string]int{"pods": pods}}}
	}
	const own = 123 // percent, as the program was started
	for name, test := range map[string]struct {
		env     map[string]string
		seen    *model.Snapshot
		percent int
	}{
		"at the start":              {nil, nil, own},
		"while pods are read":       {nil, reading(5000), own},
		"while very many are":       {nil, reading(500_000), own},
		"once all is in":            {nil, &model.Snapshot{}, mostSettledAt},
		"with the user's own pace":  {map[string]string{"GOGC": "200"}, &model.Snapshot{}, own},
		"with the user's own limit": {map[string]string{"GOMEMLIMIT": "1GiB"}, &model.Snapshot{}, mostSettledAt},
	} {
		t.Run(name, func(t *testing.T) {
			const set = 1 << 40 // what the runtime has from GOMEMLIMIT, or from nobody
			percent, limit := debug.SetGCPercent(own), debug.SetMemoryLimit(set)
			t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
			saving := NewGCTuner(t.Context(), func(name string) string { return test.env[name] })
			if test.seen != nil {
				saving.Note(test.seen)
			}
			if got := debug.SetMemoryLimit(-1); got != set {
				t.Errorf("memory limit %d, want it left at %d (none is %d)", got, set, math.MaxInt64)
			}
			if got := debug.SetGCPercent(own); got != test.percent {
				t.Errorf("garbage is collected at %d%% growth, want %d%%", got, test.percent)
			}
		})
	}
}

func TestASmallHeapMayGrowBySeveralTimesAndALargeOneByATenth(t *testing.T) {
	for name, test := range map[string]struct {
		live    uint64
		percent int64
	}{
		"nothing known": {0, mostSettledAt},
		"12 MiB":        {12 << 20, mostSettledAt},
		"48 MiB":        {leastGarbage, 100},
		"240 MiB":       {5 * leastGarbage, 20},
		"2 GiB":         {2 << 30, collectSettledAt},
	} {
		if got := settledPace(test.live); got != test.percent {
			t.Errorf("%s: %d%%, want %d%%", name, got, test.percent)
		}
	}
}

func TestQuickCollectionsSlowDownUntilThereIsRest(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	ctx, cancel := context.WithCancel(t.Context())
	tuner := NewGCTuner(ctx, func(string) string { return "" })
	tuner.base = 13
	tuner.set(13)
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	collected := func(since time.Duration) {
		tuner.last = time.Now().Add(-since)
		if !tuner.collected() {
			t.Error("it wants to hear of no more collections")
		}
	}
	for _, step := range []struct {
		since time.Duration
		want  int
	}{{time.Minute, 13}, {quick, 13}, {quick / 2, 26}, {quick, 26}, {0, mostWorking}, {0, mostWorking}, {time.Minute, mostWorking}} {
		collected(step.since)
		if got := percent(); got != step.want {
			t.Errorf("%s after the last collection: %d%%, want %d%%", step.since, got, step.want)
		}
	}
	if tuner.resting == nil {
		t.Fatal("nothing waits for rest")
	}
	tuner.rested()
	if got := percent(); got != mostSettledAt { // that of the heap of a test
		t.Errorf("at rest: %d%%, want %d%%", got, mostSettledAt)
	}
	cancel()
	if tuner.collected() {
		t.Error("it goes on after its end")
	}
}

// Collections at the pace at which pods of a large cluster change double the pace once, for as long as they go on.
func TestSteadyCollectionsDoubleThePaceOnce(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	tuner := NewGCTuner(t.Context(), func(string) string { return "" })
	tuner.base = 13
	tuner.set(13)
	for i, step := range []struct {
		since time.Duration
		want  int64
		rest  time.Duration // until the work is done; 0: nothing waits for it
	}{
		{steady / 2, 13, 0},
		{steady / 2, 13, 0},
		{steady * 2, 13, 0}, // there was rest between
		{steady / 2, 13, 0},
		{steady / 2, 13, 0},
		{steady / 2, 26, steadyRest},
		{steady / 2, 26, steadyRest},
		{steady / 2, 26, steadyRest},
		{steady * 2, 26, steadyRest},   // the pace that was wanted
		{quick / 2, mostWorking, rest}, // other work
		{steady / 2, mostWorking, rest},
	} {
		tuner.last = time.Now().Add(-step.since)
		tuner.collected()
		if tuner.percent != step.want {
			t.Fatalf("step %d, %s after the last collection: %d%%, want %d%%", i, step.since, tuner.percent, step.want)
		}
		if waits := tuner.resting != nil; waits != (step.rest > 0) || waits && tuner.enough != step.rest {
			t.Fatalf("step %d: it waits for rest %v, of %s, want %s", i, waits, tuner.enough, step.rest)
		}
	}
	tuner.rested()
	if tuner.percent != mostSettledAt { // that of the heap of a test
		t.Errorf("at rest: %d%%, want %d%%", tuner.percent, mostSettledAt)
	}
	tuner.collected() // what gives the memory back collects, too
	if tuner.percent != mostSettledAt || tuner.steadys > 0 {
		t.Errorf("the collection of the rest counts as work: %d%%, %d in a row", tuner.percent, tuner.steadys)
	}
}

func TestASmallHeapKeepsItsPace(t *testing.T) {
	if got := workingPace(mostSettledAt, mostSettledAt); got != mostSettledAt {
		t.Errorf("%d%%, want %d%%", got, mostSettledAt)
	}
}

// collectUntil collects garbage until that is heard of: what hears of one collection is set up again only after it.
func collectUntil(heard <-chan int) int {
	for {
		runtime.GC()
		select {
		case n := <-heard:
			return n
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestEachCollectionIsHeardOf(t *testing.T) {
	heard := make(chan int, 10)
	n := 0
	afterEachCollection(func() bool {
		n++
		heard <- n
		return n < 3
	})
	for want := 1; want <= 3; want++ {
		if got := collectUntil(heard); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}

// Work that a small heap makes takes no more memory than its pace allows: there is nothing to give back after it.
func TestOnlyWhatWasTakenIsGivenBack(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	collections := func() uint32 {
		var of runtime.MemStats
		runtime.ReadMemStats(&of)
		return of.NumForcedGC
	}
	tuner := NewGCTuner(t.Context(), func(string) string { return "" })
	tuner.base = mostSettledAt
	tuner.set(mostSettledAt)
	forced := collections()
	tuner.last = time.Now()
	tuner.collected() // at once after the last one
	tuner.rested()
	if got := collections(); got != forced {
		t.Errorf("%d collections to give memory back, want none", got-forced)
	}
	tuner.Note(&model.Snapshot{}) // all is in
	tuner.rested()
	if got := collections(); got == forced {
		t.Error("what reading took is not given back")
	}
}
