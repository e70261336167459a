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

// run is the whole program; its result is the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	return cli.Run(ctx, args, stdin, stdout, stderr)
}
