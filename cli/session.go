package cli

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// session opens the clusters of the kubeconfig for the dashboard.
type session struct {
	*app
	settings settings.Settings
	thrift   *thrift
}

var _ ui.Session = (*session)(nil)

// Contexts implements ui.Session. A kubeconfig that cannot be read has none.
func (s *session) Contexts() []model.Context {
	contexts, err := client.Contexts(s.flags)
	if err != nil {
		return nil
	}
	return contexts
}

// Open implements ui.Session; name "" is the context that the flags choose.
func (s *session) Open(ctx context.Context, name string) (ui.Cluster, error) {
	client, err := s.connect(ctx, name)
	if err != nil {
		return nil, err
	}
	// The cluster outlives the command that opened it.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	open := s.sourceOf(client)
	source, err := open(running)
	if err == nil {
		var joined *cluster.Cluster
		joined, err = cluster.New(running, source, cluster.Options{Reopen: open})
		if err == nil {
			actor := s.actor(client, joined, s.settings)
			return &watched{Cluster: joined, client: client, actor: actor, thrift: s.thrift, stop: stop}, nil
		}
	}
	stop()
	client.Close()
	return nil, err
}

// watched is an open cluster as the dashboard needs it: state from the joined
// source, single objects straight from the API server.
type watched struct {
	*cluster.Cluster
	client *client.Client
	actor  *act.Actor
	thrift *thrift
	stop   context.CancelFunc
}

var _ ui.Cluster = (*watched)(nil)

// Next implements ui.Cluster.
func (w *watched) Next(ctx context.Context) (*model.Snapshot, error) {
	s, err := w.Cluster.Next(ctx)
	if err == nil {
		w.thrift.note(s)
	}
	return s, err
}

// Describe implements ui.Cluster.
func (w *watched) Describe(ctx context.Context, ref model.Ref) (string, error) {
	return w.client.Describe(ctx, ref)
}

// YAML implements ui.Cluster.
func (w *watched) YAML(ctx context.Context, ref model.Ref) (string, error) {
	return w.client.YAML(ctx, ref)
}

// Events implements ui.Cluster.
func (w *watched) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return w.client.Events(ctx, ref)
}

// Actor implements ui.Cluster.
func (w *watched) Actor() ui.Actor { return w.actor }

// Retry implements ui.Cluster.
func (w *watched) Retry() { w.client.Retry() }

// Close implements ui.Cluster.
func (w *watched) Close() {
	w.actor.Close() // before its cluster, which it looks at
	w.stop()
	w.Cluster.Close()
	w.client.Close()
}
