// Command bigcluster runs a control plane with a large cluster on it, for the
// figures of docs/performance.md, until ctrl-c. Nothing schedules in it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/bigfleet"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

func main() {
	var size bigfleet.Size
	flag.IntVar(&size.Nodes, "nodes", 5000, "nodes")
	flag.IntVar(&size.Pods, "pods", 50000, "bound pods")
	flag.IntVar(&size.Pending, "pending", 500, "pods without a node, of 25 kinds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := run(ctx, size)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "bigcluster:", err)
		stop()
		os.Exit(1)
	}
}

// run starts the control plane, fills it and waits for the end of ctx.
func run(ctx context.Context, size bigfleet.Size) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	plane, err := controlplane.Start(ctx, controlplane.Options{Binaries: filepath.Dir(binary)})
	if err != nil {
		return err
	}
	return errors.Join(serve(ctx, plane, size), plane.Stop())
}

// serve fills the cluster and waits.
func serve(ctx context.Context, plane *controlplane.ControlPlane, size bigfleet.Size) error {
	plane.StopScheduler() // it would only burn the processors that are measured
	kubeconfig, err := plane.Kubeconfig(controlplane.Admin)
	if err != nil {
		return err
	}
	err = bigfleet.Fill(ctx, plane.Config(controlplane.Admin), size, func(done, of int) {
		fmt.Printf("\r%d of %d objects", done, of)
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nA cluster of %d nodes is at %s:\n\n  go run . --kubeconfig %s\n\nctrl-c stops it and removes its data.\n", size.Nodes, plane.URL(), kubeconfig)
	<-ctx.Done()
	return nil
}
