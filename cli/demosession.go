package cli

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/act"
	"github.com/kubectl-fathom/kubectl-fathom/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// embedded is the embedded cluster as the dashboard needs it.
type embedded struct {
	*cluster.Cluster
	demo  *demo.Cluster
	actor *act.Actor
	stop  context.CancelFunc
}

var _ ui.Cluster = (*embedded)(nil)

// embed joins a running embedded cluster with the engine and the model.
func embed(ctx context.Context, running *demo.Cluster, readOnly bool) (*embedded, error) {
	ctx, stop := context.WithCancel(ctx)
	source, err := running.Source(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	joined, err := cluster.New(ctx, source, cluster.Options{})
	if err != nil {
		stop()
		return nil, err
	}
	reader, trier, writer := running.Clients(ctx)
	actor := act.New(act.Options{
		State: joined, Context: demo.Context, User: "you", Reader: reader, Trier: trier, Writer: writer, ReadOnly: readOnly,
	})
	return &embedded{Cluster: joined, demo: running, actor: actor, stop: stop}, nil
}

// Describe implements ui.Cluster.
func (e *embedded) Describe(ctx context.Context, ref model.Ref) (string, error) {
	return e.demo.Describe(ctx, ref)
}

// YAML implements ui.Cluster.
func (e *embedded) YAML(ctx context.Context, ref model.Ref) (string, error) {
	return e.demo.YAML(ctx, ref)
}

// Events implements ui.Cluster.
func (e *embedded) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return e.demo.Events(ctx, ref)
}

// Actor implements ui.Cluster.
func (e *embedded) Actor() ui.Actor { return e.actor }

// Retry implements ui.Cluster: the embedded cluster is never lost.
func (e *embedded) Retry() {}

// Close implements ui.Cluster.
func (e *embedded) Close() {
	e.actor.Close() // before its cluster, which it looks at
	e.stop()
	e.Cluster.Close()
}
