// Command cluster runs a real control plane with ten nodes and workloads that
// wait for many reasons, until ctrl-c.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/fleet"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: cluster\nRuns a real control plane with ten nodes and pending workloads, until ctrl-c. It takes no arguments.")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := run(ctx)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		stop()
		os.Exit(1)
	}
}

// run starts everything, says how to connect and waits for the end of ctx.
func run(ctx context.Context) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	folder := filepath.Dir(binary) // it is built beside the components
	fmt.Println("Starting etcd, kube-apiserver, kube-scheduler, kube-controller-manager and kwok.")
	plane, err := controlplane.Start(ctx, controlplane.Options{Binaries: folder, Kwok: true, Controllers: true})
	if err != nil {
		return err
	}
	return errors.Join(serve(ctx, plane, filepath.Join(folder, "kubectl")), plane.Stop())
}

// serve fills the cluster and waits.
func serve(ctx context.Context, plane *controlplane.ControlPlane, kubectl string) error {
	kubeconfig, err := plane.Kubeconfig(controlplane.Admin)
	if err != nil {
		return err
	}
	client, err := plane.Client(controlplane.Admin)
	if err != nil {
		return err
	}
	err = fleet.Fill(ctx, client, kubectl, kubeconfig)
	if err != nil {
		return err
	}
	fmt.Printf(`A cluster of 10 nodes is at %s. In another terminal:

  go run . --kubeconfig %s

ctrl-c stops it and removes its data.
`, plane.URL(), kubeconfig)
	<-ctx.Done()
	fmt.Println("Stopping.")
	return nil
}
