package session

import (
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

// TestMain runs on one processor: as of Go 1.26.8 the race detector crashes when two of them fire timers of one
// bubble of time.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	explain.Silence() // before a watch of any test logs
	goleak.VerifyTestMain(m)
}
