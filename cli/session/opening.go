package session

import (
	"context"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// glance is how long the screen may wait for a cluster that answers at once, and
// for an error that is better said without one.
const glance = 200 * time.Millisecond

// opening is a cluster that is being opened.
type opening struct {
	done    chan struct{} // closed: cluster and err may be read
	cancel  context.CancelFunc
	cluster ui.Cluster
	err     error
}

// begin opens the cluster that the flags choose.
func (k *Kubeconfig) begin(ctx context.Context) *opening {
	o := &opening{done: make(chan struct{})}
	ctx, o.cancel = context.WithCancel(ctx)
	go func() {
		defer close(o.done)
		o.cluster, o.err = k.Open(ctx, "")
	}()
	return o
}

// wait gives the cluster once it is open, or gives it up when ctx ends.
func (o *opening) wait(ctx context.Context) (ui.Cluster, error) {
	select {
	case <-o.done:
		return o.cluster, o.err
	case <-ctx.Done():
		o.cancel()
		go func() {
			<-o.done
			if o.err == nil {
				o.cluster.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// Start fills in the cluster, or how it is opened where that takes long: the
// screen comes first then. Plugins that give credentials may ask on the
// terminal, so the screen waits for those.
func (k *Kubeconfig) Start(ctx context.Context, options *ui.Options) error {
	server, err := client.ServerOf(ctx, k.Source.Flags, "")
	if err != nil {
		return err
	}
	options.Context, options.Server, options.Session = server.Context, server.Host, k
	o := k.begin(ctx)
	var slow <-chan time.Time
	if !server.Asks {
		slow = time.After(glance)
	}
	select {
	case <-o.done:
		options.Cluster = o.cluster
		return o.err
	case <-slow:
		options.Opening = o.wait
		return nil
	case <-ctx.Done():
		_, err := o.wait(ctx)
		return err
	}
}
