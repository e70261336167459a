package source

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

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

// GCTuner paces the garbage collector of a program that goes on once a cluster was read.
// A user's own GOGC wins.
type GCTuner struct {
	paced   bool
	settled atomic.Bool
	percent atomic.Int64 // the pace once all is in
}

// NewGCTuner makes a tuner that waits until all is in. What ends with its answer has no
// use for it.
func NewGCTuner(env func(string) string) *GCTuner {
	return &GCTuner{paced: env("GOGC") == ""}
}

// Note looks how far reading is. Once all is in, what reading took is given back.
func (t *GCTuner) Note(s *model.Snapshot) {
	if len(s.Status.Reading) > 0 {
		return
	}
	first := !t.settled.Swap(true)
	if first {
		debug.FreeOSMemory()
	}
	if !t.paced {
		return
	}
	percent := settledPace(liveHeap())
	if known := t.percent.Load(); first || percent > known*2 || percent < known/2 { // each change stops the program
		t.percent.Store(percent)
		debug.SetGCPercent(int(percent))
	}
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
