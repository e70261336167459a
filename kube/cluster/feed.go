package cluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// feed is one Source at work: its informers fill the queue, its engine answers.
// When rights change, a new feed takes its place.
type feed struct {
	source  *Source
	engine  *explain.Engine
	builder *model.Builder
	queue   *queue
	others  atomic.Int64                                    // how often an object that is no node and no pod changed
	settled atomic.Bool                                     // everything was read, and the engine holds it
	fault   atomic.Value                                    // string: what the engine could not take in last
	refused atomic.Pointer[map[types.UID]*model.NotCreated] // as folded last, by the UID of the pod that stands for it

	rows  chan struct{} // closed: all nodes and pods are in the queue or were
	all   chan struct{} // closed: so is everything else that the plugins read
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// newFeed starts the informers of a source, after the engine asked for its own.
func newFeed(ctx context.Context, source *Source) (*feed, error) {
	ctx, cancel := context.WithCancel(ctx)
	scheduler.UseGates(source.Gates, source.Status().Version)
	if g := source.PodGroups; g != nil && g.Unread == "" {
		scheduler.ScheduleGroups(g.Composite)
	}
	engine, err := explain.New(ctx, source.Factory, source.Client, engineOptions(source))
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start engine: %w", err)
	}
	f := &feed{
		source:  source,
		engine:  engine,
		builder: model.NewBuilder(),
		queue:   newQueue(),
		rows:    make(chan struct{}),
		all:     make(chan struct{}),
		stop:    cancel,
	}
	f.builder.PoolLabel(source.PoolLabel)
	if err := f.listen(ctx); err != nil {
		cancel()
		return nil, err
	}
	source.Factory.StartWithContext(ctx)
	return f, nil
}

// engineOptions tells the engine what the source knows.
func engineOptions(source *Source) explain.Options {
	status := source.Status()
	groups := source.PodGroups
	if groups == nil {
		groups = &PodGroups{Unread: "PodGroups are not read"}
	}
	lookups := source.Lookups
	lookups.PriorityClasses = priorityClassesOf(source)
	return explain.Options{
		PodGroups: groups.Unread == "", PodGroupsUnread: groups.Unread, CompositesUnread: groups.CompositeUnread,

		Trace:          source.Trace,
		Now:            source.Now,
		Namespace:      status.Namespace,
		ClusterVersion: status.Version,
		Configuration:  source.Configuration,
		Gates:          source.Gates,
		PoolLabel:      source.PoolLabel,
		Lookups:        lookups,
	}
}

// close ends the informers and waits for them.
func (f *feed) close() {
	f.stop()
	f.source.Factory.Shutdown()
	f.tasks.Wait()
}

// listen registers the handlers.
func (f *feed) listen(ctx context.Context) error {
	var rows, rest []cache.DoneChecker
	core := f.source.Factory.Core().V1()
	for _, informer := range []cache.SharedIndexInformer{core.Nodes().Informer(), core.Pods().Informer()} {
		handle, err := informer.AddEventHandler(f.objects())
		if err != nil {
			return fmt.Errorf("watch nodes and pods: %w", err)
		}
		rows = append(rows, handle.HasSyncedChecker())
	}
	for _, informer := range others(f.source.Factory) {
		handle, err := informer.AddEventHandler(f.marks())
		if err != nil {
			return fmt.Errorf("watch objects of the scheduler's plugins: %w", err)
		}
		rest = append(rest, handle.HasSyncedChecker())
	}
	for _, informer := range podGroups(f.source) {
		handle, err := informer.AddEventHandler(f.objects())
		if err != nil {
			return fmt.Errorf("watch PodGroups: %w", err)
		}
		rest = append(rest, handle.HasSyncedChecker())
	}
	f.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		f.announce(ctx, rows, rest)
	})
	return nil
}

// announce says when what is awaited is in.
func (f *feed) announce(ctx context.Context, rows, rest []cache.DoneChecker) {
	if !cache.WaitFor(ctx, "", rows...) {
		return
	}
	close(f.rows)
	f.queue.nudge()
	if !cache.WaitFor(ctx, "", rest...) || isClosed(f.source.Stale) { // another source has what this one lacks
		return
	}
	close(f.all)
	f.queue.nudge()
}

// objects appends what happens to nodes, pods and PodGroups, and returns.
func (f *feed) objects() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(is any) { f.add(nil, is) },
		UpdateFunc: func(was, is any) { f.add(was, is) },
		DeleteFunc: func(was any) { f.add(was, nil) },
	}
}

// add queues one change of a node, a pod or a PodGroup.
func (f *feed) add(was, is any) {
	c := scheduler.Change{Old: object(was), New: object(is)}
	f.queue.add(c, isQuiet(c.Old, c.New))
}

// marks notes that something else changed that a plugin may have read.
func (f *feed) marks() cache.ResourceEventHandler {
	mark := func(changed any) {
		f.others.Add(1)
		o := object(changed)
		if f.settled.Load() {
			f.engine.Touch(o)
		}
		if isAside(o) {
			f.queue.whisper()
			return
		}
		f.queue.nudge()
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    mark,
		UpdateFunc: func(_, is any) { mark(is) },
		DeleteFunc: mark,
	}
}

// object is what an informer's handler was given: nil, an object, or the last
// that was known of one whose deletion went unseen.
func object(seen any) runtime.Object {
	if gone, ok := seen.(cache.DeletedFinalStateUnknown); ok {
		seen = gone.Obj
	}
	o, _ := seen.(runtime.Object)
	return o
}

// fold folds one change into the model.
func (f *feed) fold(c scheduler.Change) {
	switch is := c.New.(type) {
	case *corev1.Node:
		was, _ := c.Old.(*corev1.Node)
		f.builder.Node(was, is)
		return
	case *corev1.Pod:
		was, _ := c.Old.(*corev1.Pod)
		f.builder.Pod(was, is)
		return
	}
	switch was := c.Old.(type) {
	case *corev1.Node:
		f.builder.Node(was, nil)
	case *corev1.Pod:
		f.builder.Pod(was, nil)
	}
}

// foldRefused folds the controllers whose pods were rejected.
func (f *feed) foldRefused(all []*model.NotCreated) {
	if f.source.NotCreated == nil {
		return
	}
	byUID := make(map[types.UID]*model.NotCreated, len(all))
	for _, r := range all {
		byUID[r.Pod.UID] = r
	}
	f.refused.Store(&byUID)
	f.builder.NotCreated(all)
}

// refusedAs is the controller whose pods that were not created go by a UID; nil
// if it is a pod's.
func (f *feed) refusedAs(uid types.UID) *model.NotCreated {
	if all := f.refused.Load(); all != nil {
		return (*all)[uid]
	}
	return nil
}

// notCreated are the controllers whose pods are missing, in a fixed order.
func (f *feed) notCreated() []*model.NotCreated {
	all := f.refused.Load()
	if all == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(*all), func(a, b *model.NotCreated) int { return cmp.Compare(a.Pod.UID, b.Pod.UID) })
}

// isClosed reports whether a channel was closed on which nothing is sent.
func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
