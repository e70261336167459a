package api

import (
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher delivers events. Its queue is unbounded, so that a slow reader never blocks a
// write.
type watcher struct {
	selects func(runtime.Object) bool
	out     chan watch.Event
	done    chan struct{}
	left    func() // takes it out of its table

	mu      sync.Mutex
	queue   []watch.Event
	waiting *sync.Cond
	ended   bool
}

// watch starts a watch of a kind after a resourceVersion; "" is from now on.
func (s *storage) watch(of *kind, version string, selects func(runtime.Object) bool) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, from := s.tables[of.stored.resource], s.version
	if version != "" && version != "0" {
		asked, err := strconv.ParseInt(version, 10, 64)
		if err != nil {
			return nil, apierrors.NewBadRequest("resourceVersion " + version + " is not a number")
		}
		from = asked
	}
	if from < t.forgot {
		return nil, apierrors.NewResourceExpired("too old resource version: " + version)
	}
	w := &watcher{selects: selects, out: make(chan watch.Event), done: make(chan struct{})}
	w.waiting = sync.NewCond(&w.mu)
	w.left = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(t.watchers, w)
	}
	for _, e := range t.log {
		if e.version > from {
			w.push(e)
		}
	}
	t.watchers[w] = struct{}{}
	go func() {
		defer utilruntime.HandleCrash()
		w.run()
	}()
	return w, nil
}

// push queues an event for the selection of the watch: an object that enters the
// selection is added, and one that leaves it is deleted.
func (w *watcher) push(e change) {
	is, was := w.selects(e.object), e.old != nil && w.selects(e.old)
	told := watch.Event{Type: e.kind, Object: e.object}
	switch {
	case !is && !was:
		return
	case e.kind == watch.Modified && !was:
		told.Type = watch.Added
	case e.kind == watch.Modified && !is:
		told.Type = watch.Deleted
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, told)
	w.waiting.Signal()
}

// next waits for events; none means that the watch ended.
func (w *watcher) next() []watch.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && !w.ended {
		w.waiting.Wait()
	}
	if w.ended {
		return nil
	}
	events := w.queue
	w.queue = nil
	return events
}

func (w *watcher) run() {
	defer close(w.out)
	for events := w.next(); len(events) > 0; events = w.next() {
		for _, e := range events {
			select {
			case w.out <- e:
			case <-w.done:
				return
			}
		}
	}
}

// ResultChan implements watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event { return w.out }

// Stop implements watch.Interface.
func (w *watcher) Stop() {
	w.mu.Lock()
	first := !w.ended
	w.ended = true
	w.waiting.Signal()
	w.mu.Unlock()
	if first {
		close(w.done)
		w.left()
	}
}
