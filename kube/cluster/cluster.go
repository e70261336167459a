package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Errors of a Cluster.
var (
	// ErrReading says that verdicts have to wait until every list is in.
	ErrReading = errors.New("still reading the cluster")
	// ErrClosed says that the Cluster was closed.
	ErrClosed = errors.New("cluster closed")
)

// changedMeanwhile is the caveat of a report that is a mixture of two states.
const changedMeanwhile = "the cluster changed twice during the evaluation: explain it again"

// Options adjust a Cluster. The zero value does.
type Options struct {
	// Clock paces snapshots and metrics; nil is the real one.
	Clock clock.WithTicker
	// Reopen opens a Source again after rights changed; nil keeps the first one.
	Reopen func(context.Context) (*Source, error)
}

// Cluster is a Source at work: snapshots come out of it, and explanations.
type Cluster struct {
	options   Options
	clock     clock.WithTicker
	snapshots chan *model.Snapshot // holds one, the newest
	ready     chan struct{}        // closed: everything was in once
	usage     *meter
	feed      atomic.Pointer[feed] // the folding goroutine alone stores
	newest    atomic.Pointer[model.Snapshot]

	stop   context.CancelFunc
	ended  chan struct{} // closed: the folding goroutine returned; failure may be read
	failed error
	tasks  sync.WaitGroup
}

// New starts the informers of source and folds what they see until Close. It
// does not wait for anything to be read.
func New(ctx context.Context, source *Source, options Options) (*Cluster, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &Cluster{
		options:   options,
		clock:     options.Clock,
		snapshots: make(chan *model.Snapshot, 1),
		ready:     make(chan struct{}),
		stop:      cancel,
		ended:     make(chan struct{}),
	}
	if c.clock == nil {
		c.clock = clock.RealClock{}
	}
	first, err := newFeed(ctx, source)
	if err != nil {
		cancel()
		return nil, err
	}
	c.feed.Store(first)
	c.usage = newMeter(c.clock)
	c.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		c.usage.run(ctx, usageOf(c))
	})
	c.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		newAggregator(c).run(ctx)
	})
	return c, nil
}

// Close ends everything that was started, and waits for it.
func (c *Cluster) Close() {
	c.stop()
	<-c.ended
	c.feed.Load().close()
	c.tasks.Wait()
}

// Next waits for a snapshot newer than the one it gave out last.
func (c *Cluster) Next(ctx context.Context) (*model.Snapshot, error) {
	select {
	case s := <-c.snapshots:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ended:
		return nil, c.failed
	}
}

// Newest is the newest snapshot, also if Next has returned it; its Revision is 0 before the first.
func (c *Cluster) Newest() *model.Snapshot {
	if s := c.newest.Load(); s != nil {
		return s
	}
	return &model.Snapshot{}
}

// Wait waits until everything that the plugins read is in.
func (c *Cluster) Wait(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		return c.failed
	}
}

// Source is where the state comes from now.
func (c *Cluster) Source() *Source { return c.feed.Load().source }

// ShowUsage reports whether anyone looks at usage now; metrics are polled only then.
func (c *Cluster) ShowUsage(on bool) { c.usage.turn(on) }

// Ask answers a question about a pod, of one state, or with a caveat. A pod that stands
// for those that a controller could not create is asked about as those. Before
// everything is in, the error is ErrReading.
func (c *Cluster) Ask(ctx context.Context, q report.Query) (answer *report.Report, err error) {
	if refused := c.feed.Load().refusedAs(q.Target.UID()); refused != nil {
		q.Target = report.PodsNotCreated(refused)
	}
	if q.Parts.Has(report.FixesPart) && q.Target.UID() == "" {
		q.NotCreated = c.feed.Load().notCreated()
	}
	caveats, err := c.whole(func(e *explain.Engine) (err error) {
		answer, err = e.Ask(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return marked(answer, caveats), nil
}

// Replicas says how many equal pods that do not exist yet would be created and scheduled.
func (c *Cluster) Replicas(ctx context.Context, pod *corev1.Pod, wanted int, known report.Admittance) (found *report.Replicas, err error) {
	_, err = c.whole(func(e *explain.Engine) (err error) {
		found, err = explain.Replicas(ctx, e, pod, wanted, known)
		return err
	})
	return found, err
}

// DaemonPods says how many of the nodes that a DaemonSet is for would take its pod.
func (c *Cluster) DaemonPods(ctx context.Context, set *appsv1.DaemonSet, pod *corev1.Pod) (found *report.Replicas, err error) {
	_, err = c.whole(func(e *explain.Engine) (err error) {
		found, err = e.DaemonPods(ctx, set, pod)
		return err
	})
	return found, err
}

// OnNode says of each of some pods that have no node what the plugins have
// against one node.
func (c *Cluster) OnNode(ctx context.Context, uids []types.UID, node string) (answers []report.NodeAnswer, err error) {
	_, err = c.whole(func(e *explain.Engine) (err error) {
		answers, err = e.OnNode(ctx, uids, node)
		return err
	})
	return answers, err
}

// Evictions says for each of some pods of a node what would become of it if it
// alone were evicted, and whether the pod of that uid would then fit the node.
func (c *Cluster) Evictions(ctx context.Context, uid types.UID, node string, pods []types.UID) (told []report.Eviction, err error) {
	_, err = c.whole(func(e *explain.Engine) (err error) {
		told, err = e.Evictions(ctx, uid, node, pods)
		return err
	})
	return told, err
}

// FitsWithout reports whether a pod, which need not exist, would fit a node of a cluster if
// some pods were not there. Null: it could not be decided.
func FitsWithout(ctx context.Context, c *Cluster, pod *corev1.Pod, node string, pods []types.UID) (fits *bool, err error) {
	_, err = c.whole(func(e *explain.Engine) (err error) {
		fits, err = e.FitsWithout(ctx, pod, node, pods)
		return err
	})
	return fits, err
}

// whole asks the engine, and asks once more if an object that plugins read
// changed meanwhile: nodes and pods are the engine's own, all else is not. What
// keeps the answer from being of one state is returned.
func (c *Cluster) whole(ask func(*explain.Engine) error) (caveats []string, err error) {
	f := c.feed.Load()
	if !f.settled.Load() {
		return nil, ErrReading
	}
	for tries := 0; ; tries++ {
		before := f.others.Load()
		if err := ask(f.engine); err != nil {
			return nil, err
		}
		if f.others.Load() == before {
			break
		}
		if tries > 0 {
			caveats = append(caveats, changedMeanwhile)
			break
		}
	}
	if fault, ok := f.fault.Load().(string); ok {
		caveats = append(caveats, fault)
	}
	return caveats, nil
}

// marked is the report with more caveats. The engine's own is left as it is.
func marked(report *report.Report, caveats []string) *report.Report {
	if len(caveats) == 0 {
		return report
	}
	copied := *report
	copied.Scheduler.Caveats = slices.Concat(report.Scheduler.Caveats, caveats)
	return &copied
}

// usageOf asks the present source of a cluster for metrics.
func usageOf(c *Cluster) func(context.Context) (*model.Usage, error) {
	return func(ctx context.Context) (*model.Usage, error) {
		ask := c.feed.Load().source.Usage
		if ask == nil {
			return nil, errors.New("metrics are not served")
		}
		return ask(ctx)
	}
}

// reopenPause is between two tries to open a source whose rights changed.
const reopenPause = 5 * time.Second

// reopen opens the source again until that succeeds or ctx ends.
func reopen(ctx context.Context, c *Cluster) (*feed, error) {
	for {
		own, cancel := context.WithCancel(ctx)
		f, err := openFeed(own, c)
		if err == nil {
			stop := f.stop
			f.stop = func() { stop(); cancel() }
			return f, nil
		}
		cancel()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.clock.After(reopenPause):
		}
	}
}

// openFeed opens a new source and starts it.
func openFeed(ctx context.Context, c *Cluster) (*feed, error) {
	source, err := c.options.Reopen(ctx)
	if err != nil {
		return nil, fmt.Errorf("reopen cluster: %w", err)
	}
	return newFeed(ctx, source)
}
