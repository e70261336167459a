// Package session opens clusters for the dashboard: those of the kubeconfig, a file, a recording
// and embedded ones.
package session

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// Cluster is an open cluster as the dashboard needs it: state and answers are those
// of what is joined, single objects come from where they are kept.
type Cluster struct {
	*cluster.Cluster
	next    func(context.Context) (*model.Snapshot, error) // in place of the joined one's; nil without
	objects func() objects
	actor   *act.Actor                                                      // nil where nothing can be changed
	kubelet func(ctx context.Context, node string) (*kubelet.Config, error) // nil where no kubelet can be asked
	tuner   *source.GCTuner                                                 // nil without
	retry   func()                                                          // nil where the server is never lost
	stop    func()                                                          // ends what runs for it, before it is closed
	after   func()                                                          // closes what it was opened on; nil without
}

var _ ui.Cluster = (*Cluster)(nil)

// objects are single objects where they are kept.
type objects interface {
	Describe(ctx context.Context, ref model.Ref) (string, error)
	YAML(ctx context.Context, ref model.Ref) (string, error)
	Events(ctx context.Context, ref model.Ref) ([]model.Event, error)
	NodeLease(ctx context.Context, node string) (time.Time, error)
}

// kept are objects that are always kept in the same place.
func kept(in objects) func() objects { return func() objects { return in } }

// outliving is a context for a cluster that outlives the command that opened it.
func outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(context.WithoutCancel(ctx))
}

// Next implements ui.Cluster.
func (c *Cluster) Next(ctx context.Context) (*model.Snapshot, error) {
	next := c.next
	if next == nil {
		next = c.Cluster.Next
	}
	s, err := next(ctx)
	if err == nil && c.tuner != nil {
		c.tuner.Note(s)
	}
	return s, err
}

// Fit implements ui.Cluster.
func (c *Cluster) Fit(ctx context.Context, uid types.UID, replicas int) (*report.Fit, error) {
	return cluster.FitLike(ctx, c.Cluster, uid, replicas)
}

// Describe implements ui.Cluster.
func (c *Cluster) Describe(ctx context.Context, ref model.Ref) (string, error) {
	return c.objects().Describe(ctx, ref)
}

// YAML implements ui.Cluster.
func (c *Cluster) YAML(ctx context.Context, ref model.Ref) (string, error) {
	return c.objects().YAML(ctx, ref)
}

// Events implements ui.Cluster.
func (c *Cluster) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return c.objects().Events(ctx, ref)
}

// NodeLease implements ui.Cluster.
func (c *Cluster) NodeLease(ctx context.Context, node string) (time.Time, error) {
	return c.objects().NodeLease(ctx, node)
}

// KubeletConfig implements ui.Cluster.
func (c *Cluster) KubeletConfig(ctx context.Context, node string) (*kubelet.Config, error) {
	if c.kubelet == nil {
		return nil, errors.New("no kubelet can be asked here")
	}
	return c.kubelet(ctx, node)
}

// Actor implements ui.Cluster.
func (c *Cluster) Actor() ui.Actor {
	if c.actor == nil {
		return nil
	}
	return c.actor
}

// Retry implements ui.Cluster.
func (c *Cluster) Retry() {
	if c.retry != nil {
		c.retry()
	}
}

// Close implements ui.Cluster.
func (c *Cluster) Close() {
	if c.actor != nil {
		c.actor.Close() // before its cluster, which it looks at
	}
	c.stop()
	c.Cluster.Close()
	if c.after != nil {
		c.after()
	}
}
