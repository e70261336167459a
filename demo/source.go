package demo

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Source is the state of the cluster, as package kube provides that of a real one. It
// ends with ctx.
func (c *Cluster) Source(ctx context.Context) (*cluster.Source, error) {
	reader := c.store.Client(ctx, api.Reads)
	factory := informers.NewSharedInformerFactory(reader, 0)
	factory.InformerFor(&corev1.Event{}, failedCreates)
	changes := make(chan struct{}, 1)
	rejections, err := cluster.NewRejectedPods(cluster.RejectedPodOptions{
		Client: c.store.Client(ctx, api.Reads), Factory: factory,
		Reads: func(resource string) bool { return !asked[resource] },
		Changed: func() {
			select {
			case changes <- struct{}{}:
			default: // a change is pending already
			}
		},
	})
	if err != nil {
		return nil, err
	}
	go func() {
		defer utilruntime.HandleCrash()
		rejections.Run(ctx)
	}()
	asker := cluster.NewCachedReader(cluster.CachedReaderOptions{Client: c.store.Client(ctx, api.Reads), Namespace: metav1.NamespaceDefault})
	lookups := cluster.LookupsOf(asker)
	// No controller here writes the objects that these read.
	lookups.Provisioning, lookups.Queue, lookups.Group, lookups.Nominator = nil, nil, nil, nil
	return &cluster.Source{
		Factory: factory, Client: reader, Trace: scheduler.NewUnreadable(), Changed: changes,
		Status: func() model.Status {
			status := model.Status{
				Context: Context, Server: "in this process", Version: kubernetesVersion,
				Connection: model.Connection{Live: true, Heard: time.Now()},
			}
			rejections.Status(&status)
			return status
		},
		NotCreated: rejections.NotCreated, Usage: c.usage,
		Lookups: lookups,
		Objects: asker.Objects,
	}, nil
}

// asked are the kinds of controllers that are read by name and not watched, as on a
// real cluster.
var asked = map[string]bool{"daemonsets": true, "jobs": true}

// failedCreates watches the events of pods that could not be created.
func failedCreates(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
	return coreinformers.NewFilteredEventInformer(client, metav1.NamespaceAll, resync, cache.Indexers{}, func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector("reason", controller.FailedCreatePodReason).String()
	})
}

// NodeLease is when the kubelet of a node last renewed its Lease; zero where it has none.
func (c *Cluster) NodeLease(ctx context.Context, node string) (time.Time, error) {
	return cluster.NewCachedReader(cluster.CachedReaderOptions{Client: c.client}).NodeLease(ctx, node)
}

// Events are the events about an object, newest first.
func (c *Cluster) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return cluster.NewCachedReader(cluster.CachedReaderOptions{Client: c.client}).EventsOf(ctx, ref)
}
