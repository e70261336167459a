// Package bigfleet fills a control plane with a large cluster of believable
// objects: nodes with fifty images each, pods of six kilobytes.
package bigfleet

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Size says how large the cluster is.
type Size struct {
	Nodes   int
	Pods    int // bound, spread evenly over the nodes
	Pending int // without a node
}

const (
	namespaces = 40
	workloads  = 500
	clients    = 4  // a client has one connection; one is not enough to keep the server busy
	workers    = 32 // over all clients
)

// Fill creates everything and tells its progress, at most some hundred times.
func Fill(ctx context.Context, config *rest.Config, size Size, progress func(done, of int)) error {
	pool, err := connect(config)
	if err != nil {
		return err
	}
	for i := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceName(i)}}
		_, err := pool[0].CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create namespace %s: %w", namespace.Name, err)
		}
	}
	total := size.Nodes + size.Pods + size.Pending
	var done atomic.Int64
	step := func() {
		if n := int(done.Add(1)); n%1000 == 0 || n == total {
			progress(n, total)
		}
	}
	err = spread(ctx, pool, size.Nodes, func(ctx context.Context, client kubernetes.Interface, i int) error {
		defer step()
		_, err := client.CoreV1().Nodes().Create(ctx, node(i), metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	err = spread(ctx, pool, size.Pods+size.Pending, func(ctx context.Context, client kubernetes.Interface, i int) error {
		defer step()
		if i >= size.Pods {
			return createPod(ctx, client, pending(i-size.Pods))
		}
		return createPod(ctx, client, bound(i, size.Nodes))
	})
	if err != nil {
		return fmt.Errorf("create pods: %w", err)
	}
	return nil
}

// connect makes clients that speak protobuf, each over a connection of its own.
func connect(config *rest.Config) ([]kubernetes.Interface, error) {
	var pool []kubernetes.Interface
	for range clients {
		own := rest.CopyConfig(config)
		own.ContentType = "application/vnd.kubernetes.protobuf"
		own.QPS = -1
		own.Dial = dial() // a dialer of its own: connections are shared between equal ones
		client, err := kubernetes.NewForConfig(own)
		if err != nil {
			return nil, fmt.Errorf("connect to %s: %w", config.Host, err)
		}
		pool = append(pool, client)
	}
	return pool, nil
}

// spread calls do for 0 … n-1 from many workers and returns the first error.
func spread(ctx context.Context, pool []kubernetes.Interface, n int, do func(context.Context, kubernetes.Interface, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		client := pool[w%len(pool)]
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(ctx, client, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// createPod creates a pod and, if it is bound, makes it run.
func createPod(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) error {
	created, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil || pod.Spec.NodeName == "" {
		return err
	}
	created.Status = running(created)
	_, err = client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, created, metav1.UpdateOptions{})
	return err
}
