// Package kubelet stands in for the kubelets of the embedded cluster: nodes
// send heartbeats, and pods that are bound to them start, run and end. No
// container runs.
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

// Options are what kubelets work with.
type Options struct {
	Client    kubernetes.Interface
	Informers informers.SharedInformerFactory // started by whoever made it
	Clock     clock.WithTicker
	Heartbeat time.Duration // between two of one node
	Address   func(pod *corev1.Pod) string
	Silence   *Silence // of nodes
}

// Kubelets are those of all nodes.
type Kubelets struct {
	Options
	pods  cache.SharedIndexInformer
	nodes cache.SharedIndexInformer
	queue workqueue.TypedDelayingInterface[cache.ObjectName]

	failed Silence // of container runtimes: their kubelets report NotReady
}

// workers is how many pods are looked after at once.
const workers = 2

// New makes the kubelets; Run lets them work.
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

// Run works until ctx ends.
func (k *Kubelets) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() {
		defer utilruntime.HandleCrash()
		k.beat(ctx)
	})
	for range workers {
		running.Go(func() {
			defer utilruntime.HandleCrash()
			for {
				name, ended := k.queue.Get()
				if ended {
					return
				}
				if again := k.look(ctx, name); again > 0 {
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

// Silent has the kubelet of a node do nothing, as when it is cut off, or work again.
func (k *Kubelets) Silent(node string, on bool) { k.set(k.Silence, node, on) }

// Fail has the container runtime of a node fail, so that its kubelet reports
// NotReady and does nothing with pods; or work again.
func (k *Kubelets) Fail(node string, on bool) { k.set(&k.failed, node, on) }

// set notes what happened to a node, and looks after its pods when that is over.
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
