package cli

import (
	"math"
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
	// collectSettledAt is collectAt once all is in. There is no limit then: one
	// below what is kept would collect garbage without end.
	collectSettledAt = 10
)

// thrift keeps the peak of reading a cluster down. A user's own GOGC and
// GOMEMLIMIT win.
type thrift struct {
	paced   bool
	limited bool
	settled atomic.Bool
}

// newThrift begins to save memory.
func newThrift(env func(string) string) *thrift {
	t := &thrift{paced: env("GOGC") == "", limited: env("GOMEMLIMIT") == ""}
	if t.paced {
		debug.SetGCPercent(collectAt)
	}
	if t.limited {
		debug.SetMemoryLimit(softLimit)
	}
	return t
}

// note looks how far reading is. Once all is in, what reading took is given back.
func (t *thrift) note(s *model.Snapshot) {
	done := len(s.Status.Reading) == 0
	if !done && s.Status.Reading["pods"] < manyPods || t.settled.Load() {
		return
	}
	if t.limited {
		debug.SetMemoryLimit(math.MaxInt64)
	}
	if !done {
		return
	}
	t.settled.Store(true)
	if t.paced {
		debug.SetGCPercent(collectSettledAt)
	}
	debug.FreeOSMemory()
}
