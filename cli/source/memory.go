package source

import (
	"runtime/debug"
	"sync/atomic"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// collectAt is by how many percent the heap may grow between two collections
	// while a cluster is read. There is no memory limit: where more is kept than
	// it allows, garbage is collected without end.
	collectAt = 50
	// collectSettledAt is collectAt once all is in.
	collectSettledAt = 10
)

// GCTuner paces the garbage collector. A user's own GOGC wins.
type GCTuner struct {
	paced   bool
	settled atomic.Bool
}

// NewGCTuner begins to save memory.
func NewGCTuner(env func(string) string) *GCTuner {
	t := &GCTuner{paced: env("GOGC") == ""}
	if t.paced {
		debug.SetGCPercent(collectAt)
	}
	return t
}

// Note looks how far reading is. Once all is in, what reading took is given back.
func (t *GCTuner) Note(s *model.Snapshot) {
	if len(s.Status.Reading) > 0 || t.settled.Swap(true) {
		return
	}
	if t.paced {
		debug.SetGCPercent(collectSettledAt)
	}
	debug.FreeOSMemory()
}
