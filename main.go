// Command kubectl-fathom is a dashboard that says why pods are pending.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/kubectl-fathom/kubectl-fathom/cli"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// ending are the signals that end the program: all that would end it at once, with the terminal as the
// dashboard has set it. Those of faults are only these where another process sends them; a fault of the
// program itself is a panic as before.
var ending = []os.Signal{
	os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
	syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGSEGV, syscall.SIGTRAP,
}

// run is the whole program; its result is the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	return cli.Run(ctx, args, stdin, stdout, stderr)
}

// untilSignal is signal.NotifyContext of the ending signals, with the signal as an exit.Signal for its cause.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	received := make(chan os.Signal, 1)
	signal.Notify(received, ending...)
	go func() {
		select {
		case s := <-received:
			end(exit.Signal{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		end(nil)
	}
}
