// Package demo is a whole cluster in this process: an API in memory, the real
// kube-scheduler and controllers, and simulated kubelets. No kubeconfig is read,
// nothing listens, and no client could reach another machine.
package demo

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	scheduling "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
	"github.com/kubectl-fathom/kubectl-fathom/demo/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/demo/kubelet"
)

// Context is the name of the embedded cluster, like the name of a context in a kubeconfig.
const Context = "demo"

// Cluster is a running embedded cluster.
type Cluster struct {
	store    *api.Store
	plane    *controlplane.Plane
	kubelets *kubelet.Kubelets
	silent   kubelet.Silence
	client   kubernetes.Interface // writes
	ended    deletedPods
	running  sync.WaitGroup
	stop     context.CancelFunc
}

// Start runs an empty cluster until Stop.
func Start(ctx context.Context) (*Cluster, error) {
	return start(ctx, 0, func(*Cluster, *addresses) error { return nil })
}

// start runs a cluster. Its initial objects are loaded before anything runs.
func start(ctx context.Context, seed uint64, load func(*Cluster, *addresses) error) (*Cluster, error) {
	ctx, stop := context.WithCancel(ctx)
	c := &Cluster{store: api.NewStore(ctx, clock.RealClock{}, seed), stop: stop}
	c.client = c.store.Client(ctx, api.Writes)
	given := newAddresses()
	err := c.bootstrap(ctx)
	if err == nil {
		err = load(c, given)
	}
	if err == nil {
		err = c.run(ctx, given)
	}
	if err != nil {
		c.Stop()
		return nil, fmt.Errorf("start demo: %w", err)
	}
	return c, nil
}

// run starts the control plane and the kubelets.
func (c *Cluster) run(ctx context.Context, given *addresses) (err error) {
	if c.plane, err = controlplane.Start(ctx, c.store, func(node string) bool { return !c.silent.Of(node) }); err != nil {
		return err
	}
	if _, err = c.plane.Informers().Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.ended.note}); err != nil {
		return err
	}
	c.kubelets, err = kubelet.New(kubelet.Options{
		Client: c.store.Client(ctx, api.Writes), Informers: c.plane.Informers(), Clock: clock.RealClock{},
		Heartbeat: 2 * time.Second, Address: given.of, Silence: &c.silent,
	})
	if err != nil {
		return err
	}
	c.running.Go(func() {
		defer utilruntime.HandleCrash()
		c.kubelets.Run(ctx)
	})
	return nil
}

// Stop stops the cluster and waits until it has stopped.
func (c *Cluster) Stop() {
	c.store.Admit(nil) // without its controller, a quota would block each write for 10 s
	c.stop()
	if c.plane != nil {
		c.plane.Stop()
	}
	c.running.Wait()
}

// bootstrap creates the objects that every cluster has.
func (c *Cluster) bootstrap(ctx context.Context) error {
	for _, name := range []string{corev1.NamespaceDefault, metav1.NamespaceSystem, corev1.NamespaceNodeLease} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}}
		if _, err := c.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for _, class := range scheduling.SystemPriorityClasses() { // kube-apiserver creates them by itself
		if _, err := c.client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// Client reads and writes the cluster.
func (c *Cluster) Client() kubernetes.Interface { return c.client }

// Clients are those of an Actor: one that reads, one whose writes are dry runs, and one
// that writes.
func (c *Cluster) Clients(ctx context.Context) (reader, dryRunner, writer kubernetes.Interface) {
	return c.store.Client(ctx, api.Reads), c.store.Client(ctx, api.Tries), c.store.Client(ctx, api.Writes)
}

// Hold pauses the scheduler, or lets it continue.
func (c *Cluster) Hold(on bool) { c.plane.Hold(on) }

// Silence stops the kubelet of a node, or starts it again.
func (c *Cluster) Silence(node string, on bool) { c.kubelets.Silent(node, on) }

// Fail makes the container runtime of a node fail, so that it is NotReady, or work again.
func (c *Cluster) Fail(node string, on bool) { c.kubelets.Fail(node, on) }
