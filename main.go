// Command kubectl-fathom is a dashboard that says why pods are pending.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/kubectl-fathom/kubectl-fathom/cli"
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
	ctx, stop := signal.NotifyContext(ctx, ending...)
	defer stop()
	return cli.Run(ctx, args, stdin, stdout, stderr)
}
