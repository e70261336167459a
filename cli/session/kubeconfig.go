package session

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// Kubeconfig opens the clusters of the kubeconfig.
type Kubeconfig struct {
	Source   *source.Options
	Settings *settings.Settings
	Tuner    *source.GCTuner
}

var _ ui.Session = (*Kubeconfig)(nil)

// Contexts implements ui.Session. A kubeconfig that cannot be read has none.
func (k *Kubeconfig) Contexts() []model.Context {
	contexts, err := client.Contexts(k.Source.Flags)
	if err != nil {
		return nil
	}
	return contexts
}

// Open implements ui.Session; name "" is the context that the flags choose.
func (k *Kubeconfig) Open(ctx context.Context, name string) (ui.Cluster, error) {
	client, err := k.Source.Connect(ctx, name, nil)
	if err != nil {
		return nil, err
	}
	running, stop := outliving(ctx)
	joined, err := k.Source.Join(running, client)
	if err != nil {
		stop()
		client.Close()
		return nil, err
	}
	return &Cluster{
		Cluster: joined, objects: kept(client), actor: k.Source.Actor(client, joined, k.Settings), tuner: k.Tuner,
		retry: client.Retry, stop: stop, after: client.Close,
		kubelet: func(ctx context.Context, node string) (*kubelet.Config, error) {
			return cluster.KubeletConfig(ctx, client.Reader(), node)
		},
	}, nil
}
