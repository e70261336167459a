package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// runFile shows the file that --from names. No kubeconfig is read for it.
func (d *dashing) runFile(ctx context.Context, settings settings.Settings) error {
	if d.isRecording() {
		return d.runRecording(ctx, settings)
	}
	saving := newThrift(os.Getenv)
	file, err := d.readFrom(ctx)
	if err != nil {
		return err
	}
	return d.showFile(ctx, file, saving, settings)
}

// runPiped shows what standard input holds; the keys come from the terminal itself.
func (d *dashing) runPiped(ctx context.Context, asciiGiven bool) error {
	saving := newThrift(os.Getenv)
	file, err := d.readFrom(ctx)
	if err != nil {
		return err
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return exit.Usagef("open terminal: %w", err)
	}
	defer func() { _ = terminal.Close() }() // it was only read
	d.stdin = terminal
	settings, err := d.look(asciiGiven)
	if err != nil {
		return err
	}
	return d.showFile(ctx, file, saving, settings)
}

func (d *dashing) showFile(ctx context.Context, file *snapshot.File, saving *thrift, settings settings.Settings) error {
	source, err := d.fileSource(file)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	joined, err := cluster.New(running, source, cluster.Options{})
	if err != nil {
		return fmt.Errorf("open %s: %w", d.from, err)
	}
	shown := &filed{Cluster: joined, file: file, thrift: saving, stop: stop}
	return d.show(ctx, ui.Options{
		Cluster: shown, Context: file.Info.Context, Namespace: d.scope.namespace, Selector: d.scope.selector,
	}, settings)
}

// filed is a file as the dashboard needs a cluster.
type filed struct {
	*cluster.Cluster
	file   *snapshot.File
	thrift *thrift
	stop   context.CancelFunc
}

var _ ui.Cluster = (*filed)(nil)

// Next implements ui.Cluster.
func (f *filed) Next(ctx context.Context) (*model.Snapshot, error) {
	s, err := f.Cluster.Next(ctx)
	if err == nil {
		f.thrift.note(s)
	}
	return s, err
}

// Describe implements ui.Cluster.
func (f *filed) Describe(ctx context.Context, ref model.Ref) (string, error) {
	return f.file.Describe(ctx, ref)
}

// YAML implements ui.Cluster.
func (f *filed) YAML(ctx context.Context, ref model.Ref) (string, error) {
	return f.file.YAML(ctx, ref)
}

// Events implements ui.Cluster.
func (f *filed) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return f.file.Events(ctx, ref)
}

// Actor implements ui.Cluster: nothing can be changed in a file.
func (f *filed) Actor() ui.Actor { return nil }

// Retry implements ui.Cluster.
func (f *filed) Retry() {}

// Close implements ui.Cluster.
func (f *filed) Close() {
	f.stop()
	f.Cluster.Close()
}
