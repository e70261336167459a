package client

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// firstPages lists what the first rows are drawn of.
type firstPages struct {
	client kubernetes.Interface
	target *target
}

// start asks for the first rows at once, before anything else goes over the
// wire. What it gives back waits for them.
func (f firstPages) start(ctx context.Context) func(context.Context) (*cluster.First, error) {
	type answer struct {
		first *cluster.First
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		defer utilruntime.HandleCrash()
		rows, err := f.list(ctx)
		answers <- answer{rows, err}
	}()
	return func(ctx context.Context) (*cluster.First, error) {
		select {
		case a := <-answers:
			answers <- a // for who asks next
			return a.first, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// list reads a page of nodes and a page of the pods without one. What is
// forbidden stays empty.
func (f firstPages) list(ctx context.Context) (*cluster.First, error) {
	var (
		rows            cluster.First
		nodeErr, podErr error
		asking          sync.WaitGroup
	)
	asking.Go(func() {
		defer utilruntime.HandleCrash()
		rows.Nodes, nodeErr = f.nodes(ctx)
	})
	asking.Go(func() {
		defer utilruntime.HandleCrash()
		rows.Pods, podErr = f.pods(ctx, "")
		if apierrors.IsForbidden(podErr) {
			rows.Pods, podErr = f.pods(ctx, f.target.namespace)
		}
	})
	asking.Wait()
	for _, err := range []error{nodeErr, podErr} {
		if err != nil && !apierrors.IsForbidden(err) {
			return nil, classify("list the first nodes and pods", f.target.config.Host, err)
		}
	}
	return &rows, nil
}

func (f firstPages) nodes(ctx context.Context) ([]*corev1.Node, error) {
	list, err := f.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: page})
	if err != nil {
		return nil, err
	}
	return strip.Items(list.Items), checkList(list)
}

func (f firstPages) pods(ctx context.Context, namespace string) ([]*corev1.Pod, error) {
	unbound := fields.OneTermEqualSelector("spec.nodeName", "").String()
	list, err := f.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: page, FieldSelector: unbound})
	if err != nil {
		return nil, err
	}
	return strip.Items(list.Items), checkList(list)
}
