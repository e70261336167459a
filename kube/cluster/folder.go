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

// folder is what only the folding goroutine uses: events of the informers go through it
// into the engine, then into the model, then out as a snapshot.
type folder struct {
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

// newFolder makes the folder of a cluster that has its first feed.
func newFolder(c *Cluster) *folder {
	f := &folder{
		Cluster: c,
		held:    &model.Snapshot{},
		first:   make(chan *model.Snapshot, 1),
		next:    make(chan *feed),
	}
	f.take(c.feed.Load())
	return f
}

// run folds until ctx ends. A panic ends it and is reported as an error.
func (f *folder) run(ctx context.Context) {
	f.failed = ErrClosed
	defer close(f.ended)
	defer func() {
		if r := recover(); r != nil {
			f.failed = fmt.Errorf("apply changes: %v", r)
		}
	}()
	f.askFirst(ctx)
	for {
		f.fold()
		select {
		case <-ctx.Done():
			return
		case <-f.clock.After(interval):
		}
		if !f.wait(ctx) {
			return
		}
	}
}

// wait waits for a reason to fold again; it is false when ctx ended. A quiet change alone
// waits for others.
func (f *folder) wait(ctx context.Context) bool {
	quiet := f.feed.queue.quiet
	var lingered <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-quiet:
			quiet, lingered = nil, f.clock.After(linger-interval)
			continue
		case <-lingered:
		case <-f.feed.queue.wake:
		case <-f.feed.source.Changed:
		case <-f.usage.changed:
		case f.held = <-f.first:
		case <-f.stale:
			f.stale = nil
			f.reopenLater(ctx)
		case next := <-f.next:
			f.replace(next)
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
	refused []*model.Refused
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
func (f *folder) fold() {
	// Asked before the queue is drained: what is in by now is in the queue.
	rows, all := isClosed(f.feed.rows), isClosed(f.feed.all)
	changes := f.feed.queue.drain()
	now := stateOf(f, all)
	if all && f.settled > 0 && len(changes) == 0 && !isNews(f.folded, now) {
		return
	}
	f.folded = now
	f.revision++
	applied := apply(f.feed, f.revision, changes)
	for _, c := range changes {
		f.feed.fold(c)
	}
	f.feed.foldRefused(now.refused)
	if all && f.settled == 0 {
		f.settled = f.revision
	}
	s := f.snapshot(rows, now)
	applied()
	if rows {
		s.Moved = max(f.feed.engine.Moved(), f.settled)
	}
	if all {
		f.feed.settled.Store(true) // lets explanations through
	}
	f.publish(s)
	if all && !isClosed(f.ready) {
		close(f.ready) // who waited for it finds all in the newest snapshot
	}
}

// manyChanges is from how many changes on the engine takes them in beside the model.
const manyChanges = 1000

// apply has the engine of a feed take in changes, many of them beside what the caller does until
// the function that it returns is called, which waits. A panic comes out of that one.
func apply(f *feed, revision int64, changes []scheduler.Change) (wait func()) {
	var err error
	var panicked any
	apply := func() { err = f.engine.Apply(revision, changes) }
	note := func() {
		if err != nil {
			f.fault.Store(fmt.Sprintf("the state may be incomplete: %v", err))
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
func stateOf(f *folder, all bool) folded {
	now := folded{feed: f.feed, others: f.feed.others.Load(), status: f.status(all)}
	usage, note := f.usage.last()
	now.usage = usage
	if note != "" {
		now.status.MetricsNote = note
	}
	if ask := f.feed.source.Refused; ask != nil {
		now.refused = ask()
	}
	return now
}

// snapshot gives the rows of the feed once they are all in, before that the held ones. What
// moved last is filled in later.
func (f *folder) snapshot(rows bool, now folded) *model.Snapshot {
	if rows {
		f.held = nil
		return f.feed.builder.Build(f.revision, now.status, now.usage)
	}
	s := *f.held
	s.Revision, s.Status, s.Usage = f.revision, now.status, now.usage
	return &s
}

// status is the source's, with Reading kept until what was read is folded too.
func (f *folder) status(all bool) model.Status {
	status := f.feed.source.Status()
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
func (f *folder) publish(s *model.Snapshot) {
	f.newest.Store(s)
	select {
	case <-f.snapshots:
	default:
	}
	f.snapshots <- s // one sender and a free slot: never blocks
	f.last = s
}

// askFirst asks for the first rows while the informers fill. Without them the
// screen waits for the lists; that is no error.
func (f *folder) askFirst(ctx context.Context) {
	ask := f.feed.source.First
	if ask == nil {
		return
	}
	f.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		first, err := ask(ctx)
		if err != nil {
			return
		}
		builder := model.NewBuilder()
		builder.PoolLabel(f.feed.source.PoolLabel)
		for _, node := range first.Nodes {
			builder.Node(nil, node)
		}
		for _, pod := range first.Pods {
			builder.Pod(nil, pod)
		}
		f.first <- builder.Build(0, model.Status{}, nil)
	})
}

// reopenLater opens the source again beside the one that is shown.
func (f *folder) reopenLater(ctx context.Context) {
	f.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		next, err := reopen(ctx, f.Cluster)
		if err != nil {
			return
		}
		select {
		case f.next <- next:
		case <-ctx.Done():
			next.close()
		}
	})
}

// replace puts a new feed in the place of the old one, whose rows stay on screen
// until the new one has its own.
func (f *folder) replace(next *feed) {
	old := f.feed
	f.held = f.last
	f.take(next)
	f.Cluster.feed.Store(next)
	f.tasks.Go(old.close)
}

// take makes a feed the one that is folded.
func (f *folder) take(next *feed) {
	f.feed, f.settled = next, 0
	f.stale = next.source.Stale
	if f.options.Reopen == nil {
		f.stale = nil
	}
}
