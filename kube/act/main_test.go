package act

import (
	"os"
	"runtime"
	"testing"
)

// TestMain runs on one processor: as of Go 1.26.8 the race detector crashes when two of them fire timers of one
// bubble of time.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}
