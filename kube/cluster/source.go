// Package cluster joins a Source with the engine and the model: one goroutine
// folds what the informers see into both and publishes snapshots.
package cluster

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Source is where a cluster's state comes from: a live API server, the embedded
// cluster or a file. Nothing downstream knows which.
type Source struct {
	// Factory is not started yet. Its transforms are set, and kinds that may not
	// be listed are registered as empty through Trace.
	Factory informers.SharedInformerFactory
	// Client refuses every write.
	Client kubernetes.Interface
	// Trace notes reads of what could not be listed.
	Trace *scheduler.Unreadable
	// Status tells how the data stands now: reading, unread, connection.
	Status func() model.Status
	// Changed fires (capacity one) when Status changed without an object changing.
	Changed <-chan struct{}
	// Stale is closed when a right was won or lost: a new Source has to be opened.
	// Nil where rights never change.
	Stale <-chan struct{}
	// First gives the first rows: a page of nodes and the unbound pods, asked for
	// before the informers fill. Nil where everything is there at once.
	First func(context.Context) (*First, error)
	// Configuration is the scheduler's; nil where it is not known.
	Configuration *scheduler.Configuration
	// Gates are the feature gates of the cluster; nil where they are not known.
	Gates *scheduler.Gates
	// PodGroups says what Factory holds of PodGroups; nil where no pod names one.
	PodGroups *PodGroups
	// PoolLabel is the label of nodes that holds their pool, before the known ones;
	// "" is none.
	PoolLabel string
	// Lookups are what an engine asks for beside its informers, except PriorityClasses, which Objects lists.
	explain.Lookups
	// Objects lists a resource that no informer holds; nil where none can be listed.
	Objects func(ctx context.Context, resource string) ([]runtime.Object, error)
	// NotCreated gives the controllers whose pods were rejected, as far as they were
	// found by now (Status.Seeking); one that did not change keeps its pointer, and
	// Changed fires when one did. Nil where there never are any.
	NotCreated func() []*model.NotCreated
	// Now is the clock of ages; nil: time.Now.
	Now func() time.Time
	// Usage gives the newest metrics; nil where there never are any.
	Usage func(context.Context) (*model.Usage, error)
}

// First is what can be shown before everything is in.
type First struct {
	Nodes []*corev1.Node
	Pods  []*corev1.Pod // without a node
}

// PodGroups says what is read of PodGroups, where a pod names one.
type PodGroups struct {
	Unread          string // why PodGroups are not read; "" if they are
	Composite       bool   // CompositePodGroups are read
	CompositeUnread string // why not, where there may be some; "" where there are none
}
