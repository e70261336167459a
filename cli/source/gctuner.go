package source

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// collectSettledAt is by how many percent the heap may grow between two collections once
	// all is in, where that is more than leastGarbage. Until then it is what Go itself takes:
	// half of that costs a fifth more of the processor and saves a tenth of the peak. There is
	// no memory limit: where more is kept than it allows, garbage is collected without end.
	collectSettledAt = 10
	// mostSettledAt is collectSettledAt where the heap is very small.
	mostSettledAt = 400
	// leastGarbage is how many bytes are garbage before they are collected: what is kept of
	// a small cluster is soon marked, but not for every megabyte that a simulation takes.
	leastGarbage = 48 << 20
)

// Where work makes so much garbage that collections follow each other quickly, marking what is
// kept takes more of the processor than the work: the pace is doubled until they do not, and the
// memory is given back once there was rest. So it is right after reading, while pods are explained.
// Where they go on at a steady pace, as while many pods change, it is doubled once, and given back
// after a longer rest: marking what is kept of 50,000 pods takes most of a second.
const (
	quick       = 3 * time.Second  // between two collections is too little
	rest        = 10 * time.Second // without a collection the work is done
	steady      = 15 * time.Second // between collections is too little for work that does not end
	steadyRest  = time.Minute      // without a collection that has ended, too
	inARow      = 3                // collections show that work is steady
	mostWorking = 50               // percent
)

// GCTuner paces the garbage collector of a program that goes on once a cluster was read.
// A user's own GOGC wins.
type GCTuner struct {
	ctx     context.Context // of what follows collections
	paced   bool
	settled atomic.Bool

	mu      sync.Mutex
	base    int64 // the pace once all is in, in percent
	percent int64 // the pace now
	last    time.Time
	steadys int           // collections in a row that followed each other within steady, though not quickly
	resting *time.Timer   // nil: nothing works
	enough  time.Duration // without a collection until the work is done
	taken   bool          // more memory than is kept, to be given back when the work is done
}

// NewGCTuner makes a tuner that waits until all is in, and works until ctx ends. What ends
// with its answer has no use for it.
func NewGCTuner(ctx context.Context, env func(string) string) *GCTuner {
	return &GCTuner{ctx: ctx, paced: env("GOGC") == ""}
}

// Note looks how far reading is. Once all is in the pace is set. What reading took is given back once
// the pods are explained, too; where the pace is the user's own, at once.
func (t *GCTuner) Note(s *model.Snapshot) {
	if len(s.Status.Reading) > 0 {
		return
	}
	first := !t.settled.Swap(true)
	if !t.paced {
		if first {
			go debug.FreeOSMemory() // nobody waits for it
		}
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	base := settledPace(liveHeap())
	if first || base > t.base*2 || base < t.base/2 { // each change stops the program
		t.base = base
		t.set(base)
	}
	if first {
		t.last, t.taken = time.Now(), true
		t.work(base, rest)
		afterEachCollection(t.collected)
	}
}

func (t *GCTuner) set(percent int64) {
	t.percent = percent
	debug.SetGCPercent(int(percent))
}

// collected notes a collection; it reports whether it wants to hear of the next.
func (t *GCTuner) collected() bool {
	if t.ctx.Err() != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	since := now.Sub(t.last)
	t.last = now
	switch {
	case since < quick:
		t.steadys = 0
		t.work(t.percent, rest)
	case since < steady:
		if t.steadys++; t.steadys >= inARow && t.percent == t.base {
			t.work(t.base, steadyRest)
		}
	default:
		t.steadys = 0
	}
	if t.resting != nil {
		t.resting.Reset(t.enough)
	}
	return true
}

// work doubles a pace, until there is enough rest; a shorter rest wins over one that is waited for already.
func (t *GCTuner) work(pace int64, enough time.Duration) {
	if percent := workingPace(pace, t.base); percent != t.percent {
		t.set(percent)
		t.taken = true
	}
	if t.resting == nil {
		t.enough = enough
		t.resting = time.AfterFunc(enough, t.rested)
	}
	t.enough = min(t.enough, enough)
}

// rested returns to the pace of a program that does little, which is known when only what is kept is left.
func (t *GCTuner) rested() {
	t.mu.Lock()
	if t.resting != nil {
		t.resting.Stop() // it may have been reset meanwhile
	}
	free := t.taken && t.ctx.Err() == nil
	t.resting, t.steadys, t.taken = nil, 0, false
	t.last = time.Now().Add(-steady) // what follows is no work
	t.mu.Unlock()
	if !free {
		return
	}
	debug.FreeOSMemory()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base = settledPace(liveHeap())
	if t.resting == nil {
		t.set(t.base)
	}
}

// workingPace is the pace after a quick collection.
func workingPace(percent, base int64) int64 {
	return max(base, min(percent*2, mostWorking))
}

// afterEachCollection calls a function after each collection of garbage for as long as it
// reports true.
func afterEachCollection(do func() bool) {
	type garbage struct{ _ [64]byte } // too large to share its memory with other objects
	runtime.AddCleanup(new(garbage), func(do func() bool) {
		if do() {
			afterEachCollection(do)
		}
	}, do)
}

// settledPace is by how many percent a heap of so many bytes in use may grow.
func settledPace(live uint64) int64 {
	return min(max(int64(leastGarbage*100/max(live, 1)), collectSettledAt), mostSettledAt)
}

// liveHeap is how many bytes were in use at the last collection.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
