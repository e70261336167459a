package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// collectAt is by how many percent the heap may grow between two collections.
	collectAt = 50
	// softLimit is what memory is kept near while a cluster is read: of a list
	// much is garbage once it was stripped.
	softLimit = 300 << 20
	// manyPods do not fit under softLimit: trying would only burn time.
	manyPods = 60_000
	// settledLimit is what memory is kept near once all is in, unless the cluster
	// takes more: then it is breath times what is kept, for a limit below that
	// would collect garbage without end.
	settledLimit = 260 << 20
	breath       = 1.25
)

// thrift keeps the peak of reading a cluster down. A user's own GOGC and
// GOMEMLIMIT win.
type thrift struct {
	limited bool
	settled atomic.Bool
}

// newThrift begins to save memory.
func newThrift(env func(string) string) *thrift {
	if env("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	t := &thrift{limited: env("GOMEMLIMIT") == ""}
	if t.limited {
		debug.SetMemoryLimit(softLimit)
	}
	return t
}

// note looks how far reading is. Once all is in, what reading took is given back,
// and what is kept has some room to breathe.
func (t *thrift) note(s *model.Snapshot) {
	done := len(s.Status.Reading) == 0
	if !done && s.Status.Reading["pods"] < manyPods || !t.limited || t.settled.Load() {
		return
	}
	if !done {
		debug.SetMemoryLimit(math.MaxInt64)
		return
	}
	t.settled.Store(true)
	debug.FreeOSMemory()
	var kept runtime.MemStats
	runtime.ReadMemStats(&kept)
	debug.SetMemoryLimit(max(settledLimit, int64(float64(kept.HeapAlloc)*breath)))
}
