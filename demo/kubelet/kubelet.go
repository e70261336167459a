// Package kubelet simulates the kubelets of the embedded cluster: nodes send
// heartbeats, and pods that are bound to them start, run and terminate. No container
// runs.
package kubelet

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// Options configure the kubelets.
type Options struct {
	Client    kubernetes.Interface
	Informers informers.SharedInformerFactory // started by the caller
	Clock     clock.WithTicker
	Heartbeat time.Duration // period per node
	Address   func(pod *corev1.Pod) string
	Silence   *Silence // of nodes
}

// Kubelets are the kubelets of all nodes.
type Kubelets struct {
	Options
	pods  cache.SharedIndexInformer
	nodes cache.SharedIndexInformer
	queue workqueue.TypedDelayingInterface[cache.ObjectName]

	failed Silence // of container runtimes: their kubelets report NotReady
}

// workers is the number of pods that are synced at once.
const workers = 2

// New makes the kubelets. Run starts them.
func New(options Options) (*Kubelets, error) {
	k := &Kubelets{
		Options: options,
		pods:    options.Informers.Core().V1().Pods().Informer(),
		nodes:   options.Informers.Core().V1().Nodes().Informer(),
		queue:   workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[cache.ObjectName]{Clock: options.Clock}),
	}
	_, err := k.pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    k.enqueue,
		UpdateFunc: func(_, object any) { k.enqueue(object) },
	})
	return k, err
}

func (k *Kubelets) enqueue(object any) {
	if pod, ok := object.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
		k.queue.Add(cache.MetaObjectToName(pod))
	}
}

// Run runs the kubelets until ctx ends.
func (k *Kubelets) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() {
		defer utilruntime.HandleCrash()
		k.renewLeases(ctx)
	})
	for range workers {
		running.Go(func() {
			defer utilruntime.HandleCrash()
			for {
				name, ended := k.queue.Get()
				if ended {
					return
				}
				if again := k.sync(ctx, name); again > 0 {
					k.queue.AddAfter(name, again)
				}
				k.queue.Done(name)
			}
		})
	}
	<-ctx.Done()
	k.queue.ShutDown()
	running.Wait()
}

// Silent stops the kubelet of a node, as if it were disconnected, or starts it again.
func (k *Kubelets) Silent(node string, on bool) { k.set(k.Silence, node, on) }

// Fail makes the container runtime of a node fail, so that its kubelet reports NotReady
// and does not sync pods, or work again.
func (k *Kubelets) Fail(node string, on bool) { k.set(&k.failed, node, on) }

// set records the state of a node, and syncs its pods when it works again.
func (k *Kubelets) set(in *Silence, node string, on bool) {
	in.set(node, on)
	if on {
		return
	}
	for _, object := range k.pods.GetStore().List() {
		if pod, ok := object.(*corev1.Pod); ok && pod.Spec.NodeName == node {
			k.enqueue(pod)
		}
	}
}
