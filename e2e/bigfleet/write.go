package bigfleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

const (
	batchEntries = 100     // etcd takes 128
	batchBytes   = 1 << 20 // etcd takes 1.5 MiB
	workers      = 8       // that ask the API server
	lookTime     = 5 * time.Minute
	lookPause    = time.Second
)

// writer puts objects straight into etcd, as kube-apiserver would store them:
// ten times as fast as through its API.
type writer struct {
	plane    *controlplane.ControlPlane
	progress func(done, of int)
	total    int

	mu    sync.Mutex
	batch []controlplane.Entry
	size  int
	done  int
}

// put adds an object to what is written. Its TypeMeta must be set.
func (w *writer) put(ctx context.Context, key string, object runtime.Object) error {
	entry, err := controlplane.Encode(key, object)
	if err != nil {
		return err
	}
	w.mu.Lock()
	var full []controlplane.Entry
	if len(w.batch) == batchEntries || w.size+len(entry.Value) > batchBytes {
		full = w.take()
	}
	w.batch = append(w.batch, entry)
	w.size += len(entry.Value)
	w.mu.Unlock()
	return w.write(ctx, full)
}

// flush writes what is left.
func (w *writer) flush(ctx context.Context) error {
	w.mu.Lock()
	rest := w.take()
	w.mu.Unlock()
	return w.write(ctx, rest)
}

// take empties the batch. The lock is held.
func (w *writer) take() []controlplane.Entry {
	full := w.batch
	w.batch, w.size = nil, 0
	return full
}

// write writes a batch and tells of it.
func (w *writer) write(ctx context.Context, batch []controlplane.Entry) error {
	if len(batch) == 0 {
		return nil
	}
	err := controlplane.Put(ctx, w.plane, batch)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.done += len(batch)
	done := w.done
	w.mu.Unlock()
	w.progress(done, w.total)
	return nil
}

// createShared creates what the pods need to be admitted: namespaces and
// priority classes.
func (f *Fleet) createShared(ctx context.Context, client kubernetes.Interface) error {
	for i := range f.shape.namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceName(i)}}
		_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create namespace %s: %w", namespace.Name, err)
		}
	}
	for _, p := range priorities {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: p.name}, Value: p.value}
		_, err := client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create priority class %s: %w", p.name, err)
		}
	}
	return nil
}

// parallel calls do for 0 … n-1 from several workers and returns the first error.
func parallel(ctx context.Context, n int, do func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	group.Wait()
	return context.Cause(ctx)
}

// lookedAt waits until kube-scheduler has said something about each pending pod
// that is its own.
func lookedAt(ctx context.Context, client kubernetes.Interface) error {
	left := -1
	err := wait.PollUntilContextTimeout(ctx, lookPause, lookTime, false, func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName="})
		if err != nil {
			return false, err
		}
		left = 0
		for i := range pods.Items {
			if waitsForScheduler(&pods.Items[i]) {
				left++
			}
		}
		return left == 0, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("wait for kube-scheduler: it has not looked at %d pods in %s", left, lookTime)
	}
	return err
}
