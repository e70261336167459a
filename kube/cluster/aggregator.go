package cluster

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// interval is the least time between two snapshots.
	interval = 100 * time.Millisecond
	// linger is how long a quiet change waits for others at most.
	linger = time.Second
)

// aggregator is what only the folding goroutine uses: events of the informers go through it
// into the engine, then into the model, then out as a snapshot.
type aggregator struct {
	*Cluster
	feed     *feed
	revision int64
	folded   folded
	settled  int64           // the first revision with all that the plugins read of the feed; 0: not yet
	held     *model.Snapshot // its rows are shown until the feed has its own
	last     *model.Snapshot // published last
	first    chan *model.Snapshot
	next     chan *feed
	stale    <-chan struct{}
}

// newAggregator makes the aggregator of a cluster that has its first feed.
func newAggregator(c *Cluster) *aggregator {
	a := &aggregator{
		Cluster: c,
		held:    &model.Snapshot{},
		first:   make(chan *model.Snapshot, 1),
		next:    make(chan *feed),
	}
	a.take(c.feed.Load())
	return a
}

// run folds until ctx ends. A panic ends it and is reported as an error.
func (a *aggregator) run(ctx context.Context) {
	a.failed = ErrClosed
	defer close(a.ended)
	defer func() {
		if r := recover(); r != nil {
			a.failed = fmt.Errorf("apply changes: %v", r)
		}
	}()
	a.askFirst(ctx)
	for {
		a.fold()
		select {
		case <-ctx.Done():
			return
		case <-a.clock.After(interval):
		}
		if !a.wait(ctx) {
			return
		}
	}
}

// wait waits for a reason to fold again; it is false when ctx ended. A quiet change alone
// waits for others.
func (a *aggregator) wait(ctx context.Context) bool {
	quiet := a.feed.queue.quiet
	var lingered <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-quiet:
			quiet, lingered = nil, a.clock.After(linger-interval)
			continue
		case <-lingered:
		case <-a.feed.queue.wake:
		case <-a.feed.source.Changed:
		case <-a.usage.changed:
		case a.held = <-a.first:
		case <-a.stale:
			a.stale = nil
			a.reopenLater(ctx)
		case next := <-a.next:
			a.replace(next)
		}
		return true
	}
}

// folded is what the newest snapshot holds that is no node and no pod.
type folded struct {
	feed    *feed
	others  int64
	status  model.Status
	usage   *model.Usage
	refused []*model.NotCreated
}

// isNews reports whether anything is to be told since the last snapshot: not every reason
// to fold changes something. The time of the last answer alone is none while the data is
// live.
func isNews(before, now folded) bool {
	if now.status.Connection.Live && before.status.Connection.Live {
		before.status.Connection.Heard = now.status.Connection.Heard
	}
	return before.feed != now.feed || before.others != now.others || before.usage != now.usage ||
		!slices.Equal(before.refused, now.refused) || !reflect.DeepEqual(before.status, now.status)
}

// fold brings the engine and the model to one revision and publishes it.
func (a *aggregator) fold() {
	// Asked before the queue is drained: what is in by now is in the queue.
	rows, all := isClosed(a.feed.rows), isClosed(a.feed.all)
	changes := a.feed.queue.drain()
	now := stateOf(a, all)
	if all && a.settled > 0 && len(changes) == 0 && !isNews(a.folded, now) {
		return
	}
	a.folded = now
	a.revision++
	applied := apply(a.feed, a.revision, changes)
	for _, c := range changes {
		a.feed.fold(c)
	}
	a.feed.foldRefused(now.refused)
	if all && a.settled == 0 {
		a.settled = a.revision
	}
	s := a.snapshot(rows, now)
	applied()
	if rows {
		s.Moved = max(a.feed.engine.Moved(), a.settled)
	}
	if all {
		a.feed.settled.Store(true) // lets explanations through
	}
	a.publish(s)
	if all && !isClosed(a.ready) {
		close(a.ready) // who waited for it finds all in the newest snapshot
	}
}

// manyChanges is from how many changes on the engine takes them in beside the model.
const manyChanges = 1000

// apply has the engine of a feed take in changes, many of them beside what the caller does until
// the function that it returns is called, which waits. A panic comes out of that one.
func apply(a *feed, revision int64, changes []scheduler.Change) (wait func()) {
	var err error
	var panicked any
	apply := func() { err = a.engine.Apply(revision, changes) }
	note := func() {
		if err != nil {
			a.fault.Store(fmt.Sprintf("the state may be incomplete: %v", err))
		}
	}
	if len(changes) < manyChanges {
		apply()
		return note
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		apply()
	}()
	return func() {
		<-done
		if panicked != nil {
			panic(panicked)
		}
		note()
	}
}

// stateOf is what is known now beside nodes and pods.
func stateOf(a *aggregator, all bool) folded {
	now := folded{feed: a.feed, others: a.feed.others.Load(), status: a.status(all)}
	usage, note := a.usage.last()
	now.usage = usage
	if note != "" {
		now.status.MetricsNote = note
	}
	if ask := a.feed.source.NotCreated; ask != nil {
		now.refused = ask()
	}
	return now
}

// snapshot gives the rows of the feed once they are all in, before that the held ones. What
// moved last is filled in later.
func (a *aggregator) snapshot(rows bool, now folded) *model.Snapshot {
	if rows {
		a.held = nil
		return a.feed.builder.Build(a.revision, now.status, now.usage)
	}
	s := *a.held
	s.Revision, s.Status, s.Usage = a.revision, now.status, now.usage
	return &s
}

// status is the source's, with Reading kept until what was read is folded too.
func (a *aggregator) status(all bool) model.Status {
	status := a.feed.source.Status()
	if all {
		status.Reading = nil
		return status
	}
	status.Reading = maps.Clone(status.Reading)
	if len(status.Reading) == 0 {
		status.Reading = map[string]int{"pods": 0}
	}
	return status
}

// publish replaces an older snapshot that was not consumed yet.
func (a *aggregator) publish(s *model.Snapshot) {
	a.newest.Store(s)
	select {
	case <-a.snapshots:
	default:
	}
	a.snapshots <- s // one sender and a free slot: never blocks
	a.last = s
}

// askFirst asks for the first rows while the informers fill. Without them the
// screen waits for the lists; that is no error.
func (a *aggregator) askFirst(ctx context.Context) {
	ask := a.feed.source.First
	if ask == nil {
		return
	}
	a.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		first, err := ask(ctx)
		if err != nil {
			return
		}
		builder := model.NewBuilder()
		builder.PoolLabel(a.feed.source.PoolLabel)
		for _, node := range first.Nodes {
			builder.Node(nil, node)
		}
		for _, pod := range first.Pods {
			builder.Pod(nil, pod)
		}
		a.first <- builder.Build(0, model.Status{}, nil)
	})
}

// reopenLater opens the source again beside the one that is shown.
func (a *aggregator) reopenLater(ctx context.Context) {
	a.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		next, err := reopen(ctx, a.Cluster)
		if err != nil {
			return
		}
		select {
		case a.next <- next:
		case <-ctx.Done():
			next.close()
		}
	})
}

// replace puts a new feed in the place of the old one, whose rows stay on screen
// until the new one has its own.
func (a *aggregator) replace(next *feed) {
	old := a.feed
	a.held = a.last
	a.take(next)
	a.Cluster.feed.Store(next)
	a.tasks.Go(old.close)
}

// take makes a feed the one that is folded.
func (a *aggregator) take(next *feed) {
	a.feed, a.settled = next, 0
	a.stale = next.source.Stale
	if a.options.Reopen == nil {
		a.stale = nil
	}
}
