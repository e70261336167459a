package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
)

// loaded is what it took a bare informer to have all nodes and pods.
type loaded struct {
	Seconds float64 `json:"seconds"`
	Nodes   int     `json:"nodes"`
	Pods    int     `json:"pods"`
	Heap    uint64  `json:"heap"` // bytes that are kept
	Peak    uint64  `json:"peak"` // resident bytes, at most
}

// startBare runs this program as a bare informer.
func startBare(ctx context.Context, kubeconfig string) (loaded, error) {
	self, err := os.Executable()
	if err != nil {
		return loaded{}, err
	}
	cmd := command(ctx, self, "-bare", "-kubeconfig", kubeconfig)
	out, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return loaded{}, fmt.Errorf("run the bare informer: %w", err)
	}
	var l loaded
	err = json.Unmarshal(out, &l)
	if err != nil {
		return loaded{}, fmt.Errorf("read what the bare informer says: %w", err)
	}
	return l, nil
}

// runBare lists and watches nodes and pods in protobuf, strips them as fathom
// does, and prints what that took.
func runBare(ctx context.Context, kubeconfig string) error {
	began := time.Now()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.QPS = -1
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(clientset, 0)
	nodes, pods := factory.Core().V1().Nodes().Informer(), factory.Core().V1().Pods().Informer()
	for _, informer := range []cache.SharedIndexInformer{nodes, pods} {
		err = informer.SetTransform(strip.New().Strip)
		if err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return fmt.Errorf("read %s: it was given up", kind)
		}
	}
	l := loaded{Seconds: time.Since(began).Seconds(), Nodes: len(nodes.GetStore().List())}
	for _, o := range pods.GetStore().List() {
		if pod, ok := o.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
			l.Pods++
		}
	}
	_, l.Peak, err = resident(os.Getpid())
	if err != nil {
		return err
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	l.Heap = memory.HeapAlloc
	runtime.KeepAlive(factory)
	return json.NewEncoder(os.Stdout).Encode(l)
}

// median is the middle one.
func median(all []float64) float64 { return quantile(all, 0.5) }

// quantile is the figure that a share of all does not exceed.
func quantile(all []float64, share float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
