package exit

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

// endedBy is a context that a signal has ended.
func endedBy(signal syscall.Signal) context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	end(Signal{Signal: signal})
	return ctx
}

func TestADashboardEndedByASignalHasItsNumberInTheExitCode(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		var said strings.Builder
		ctx := endedBy(signal)
		if got := Code(ctx, BySignal(ctx), &terminal.Streams{Name: "fathom", ErrOut: &said}); got != want || said.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d, and it says %q", signal, got, want, said.String())
		}
	}
	if err := BySignal(t.Context()); err != nil {
		t.Errorf("%v without a signal", err)
	}
}

func TestACommandEndedByASignalIsInterrupted(t *testing.T) {
	ctx := endedBy(syscall.SIGTERM)
	for _, err := range []error{ctx.Err(), fmt.Errorf("list pods: %w", ctx.Err()), context.Cause(ctx)} {
		var said strings.Builder
		if got := Code(ctx, err, &terminal.Streams{Name: "fathom", ErrOut: &said}); got != Unknown || said.String() != "fathom: interrupted\n" {
			t.Errorf("%v: exit code %d, and it says %q", err, got, said.String())
		}
	}
}
