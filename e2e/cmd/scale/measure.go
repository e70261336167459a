package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	kubelets = 8  // that write statuses at once
	stride   = 37 // from one changed pod to the next
)

// figures are what was measured on one cluster. Times are in seconds, those of
// keys in milliseconds, memory is in bytes, cpu a share of one core.
type figures struct {
	nodes int
	pods  int
	bare  loaded

	up            startUp
	peak, settled uint64
	keys, whys    []float64
	idle, churned float64
	changes       float64 // a second, that were made meanwhile
	one, all      oneShot
	peers         []peer
}

// measure measures everything on a cluster that is there.
func measure(ctx context.Context, o options, kubeconfig string) (*figures, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	say("a first bare informer, which is not counted")
	_, err = startBare(ctx, kubeconfig)
	if err != nil {
		return nil, err
	}
	f := &figures{}
	d, err := f.load(ctx, o, kubeconfig)
	if err != nil {
		return nil, err
	}
	err = f.use(ctx, o, client, d)
	if err != nil {
		return nil, err
	}
	err = f.commands(ctx, o, client, kubeconfig)
	if err != nil {
		return nil, err
	}
	err = f.measurePeers(ctx, o, client, kubeconfig)
	say("")
	return f, err
}

// load measures loading, in turn with the bare informer, and leaves the last
// dashboard open.
func (f *figures) load(ctx context.Context, o options, kubeconfig string) (*dashboard, error) {
	var bare, heaps, peaks, first, live, verdicts []float64
	for i := range o.loads {
		say("loading, %d of %d", i+1, o.loads)
		l, err := startBare(ctx, kubeconfig)
		if err != nil {
			return nil, err
		}
		f.nodes, f.pods = l.Nodes, l.Pods
		bare, heaps, peaks = append(bare, l.Seconds), append(heaps, float64(l.Heap)), append(peaks, float64(l.Peak))
		d, up, err := open(ctx, o.binary, kubeconfig)
		if err != nil {
			return nil, err
		}
		first, live, verdicts = append(first, up.rows), append(live, up.live), append(verdicts, up.verdicts)
		if i < o.loads-1 {
			err = d.quit(ctx)
			if err != nil {
				return nil, err
			}
			continue
		}
		f.bare.Seconds, f.bare.Heap, f.bare.Peak = median(bare), uint64(median(heaps)), uint64(median(peaks))
		f.up = startUp{median(first), median(live), median(verdicts)}
		return d, nil
	}
	return nil, errors.New("load: it has to be measured once at least")
}

// use measures the dashboard that is open, and ends it.
func (f *figures) use(ctx context.Context, o options, client kubernetes.Interface, d *dashboard) error {
	say("settling")
	err := sleep(ctx, settleTime)
	if err != nil {
		return d.fail(err)
	}
	f.settled, f.peak, err = resident(d.pid)
	if err != nil {
		return d.fail(err)
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"idle", func() (err error) { f.idle, err = share(ctx, d.pid, shareTime); return err }},
		{"keys", func() (err error) { f.keys, err = d.keys(ctx, o.keys); return err }},
		{"Why", func() (err error) { f.whys, err = d.whys(ctx, max(1, o.keys/openings)); return err }},
		{"changes of pods", func() (err error) {
			f.churned, f.changes, err = churned(ctx, client, d.pid, o.rate)
			return err
		}},
	} {
		say("%s", step.what)
		err = step.do()
		if err != nil {
			return d.fail(fmt.Errorf("measure %s: %w", step.what, err))
		}
	}
	_, f.peak, err = resident(d.pid)
	if err != nil {
		return d.fail(err)
	}
	return d.quit(ctx)
}

// sleep waits, or gives up with ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// commands measures explanations on the command line.
func (f *figures) commands(ctx context.Context, o options, client kubernetes.Interface, kubeconfig string) error {
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName="})
	if err != nil {
		return fmt.Errorf("list pending pods: %w", err)
	}
	if len(pods.Items) == 0 {
		return errors.New("there are no pending pods")
	}
	pod := pods.Items[0]
	say("explain POD")
	f.one, err = runOnce(ctx, o.binary, "explain", pod.Name, "-n", pod.Namespace, "--kubeconfig", kubeconfig)
	if err != nil {
		return err
	}
	say("explain --all")
	f.all, err = runOnce(ctx, o.binary, "explain", "--all", "-A", "-o", "json", "--kubeconfig", kubeconfig)
	return err
}

// churned is the share of a core that a process takes while pods change, and how
// many have changed a second.
func churned(ctx context.Context, client kubernetes.Interface, pid, rate int) (cpu, changes float64, err error) {
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName!=", Limit: 5000, ResourceVersion: ""})
	if err != nil {
		return 0, 0, fmt.Errorf("list pods: %w", err)
	}
	names := make([]types.NamespacedName, 0, len(pods.Items))
	for i := range pods.Items {
		names = append(names, types.NamespacedName{Namespace: pods.Items[i].Namespace, Name: pods.Items[i].Name})
	}
	if len(names) == 0 {
		return 0, 0, errors.New("there are no bound pods")
	}
	changing, stop := context.WithCancel(ctx)
	defer stop()
	count, failed := 0, make(chan error, 1)
	began := time.Now()
	go func() {
		var err error
		count, err = change(changing, client, names, rate)
		failed <- err
	}()
	cpu, err = share(ctx, pid, shareTime)
	stop()
	return cpu, float64(count) / time.Since(began).Seconds(), errors.Join(err, <-failed)
}

// change writes the statuses of pods as their kubelets do, at a steady rate, until
// ctx ends, and gives how many were written.
func change(ctx context.Context, client kubernetes.Interface, names []types.NamespacedName, rate int) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	var next, done atomic.Int64
	var group sync.WaitGroup
	for range kubelets {
		group.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				err := writeStatus(ctx, client, names, int(next.Add(1)))
				switch {
				case err == nil:
					done.Add(1)
				case ctx.Err() == nil:
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) {
		err = nil // the caller has seen enough
	}
	return int(done.Load()), err
}

// writeStatus makes a pod ready, or not ready where it was.
func writeStatus(ctx context.Context, client kubernetes.Interface, names []types.NamespacedName, n int) error {
	status := corev1.ConditionFalse
	if n/len(names)%2 == 1 {
		status = corev1.ConditionTrue
	}
	patch := fmt.Appendf(nil, `{"status":{"conditions":[{"type":"Ready","status":%q,"lastTransitionTime":%q}]}}`, status, time.Now().UTC().Format(time.RFC3339))
	name := names[n*stride%len(names)]
	_, err := client.CoreV1().Pods(name.Namespace).Patch(ctx, name.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("change pod %s: %w", name, err)
	}
	return nil
}
