//go:build unix

package act

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

func TestALogThatIsAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	log := NewLog(file)
	_, _, read := log.earlier()
	written := log.add(plan.Entry{At: time.Now(), Did: "cordon n1"})
	for want, err := range map[string]error{"read " + file: read, "write " + file: written} {
		if err == nil || !strings.HasPrefix(err.Error(), want+": it is a pipe or a device: ") {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestALogThatNobodyWantsToKeepIsNoError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "activity.jsonl")
	if err := os.Symlink(os.DevNull, file); err != nil {
		t.Fatal(err)
	}
	log := NewLog(file)
	if err := log.add(plan.Entry{At: time.Now(), Did: "cordon n1"}); err != nil {
		t.Error(err)
	}
	if entries, broken, err := log.earlier(); len(entries)+broken > 0 || err != nil {
		t.Errorf("it holds %v and %d broken lines, %v", entries, broken, err)
	}
}
