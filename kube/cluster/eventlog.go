package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
)

const (
	// unasked is how long events are watched that nobody asks for.
	unasked = 2 * time.Minute
	// watchedFor bounds a watch, and with it how long one that is silent for no reason is believed.
	watchedFor = 10 * time.Minute
	// unwatchable is how long events are listed that may not be watched.
	unwatchable = 5 * time.Minute
)

// eventLogs are the events that were asked for, by namespace and field selector.
type eventLogs struct {
	mu    sync.Mutex
	known map[eventsOf]*eventLog
	end   chan struct{} // closed: nothing is watched any more; nil until something is
	ended bool
}

type eventsOf struct{ namespace, selector string }

// eventLog are the events of one selector: listed when they are asked for, and from the
// second time on watched, as long as somebody asks. One command asks once.
type eventLog struct {
	turn chan struct{} // holds one while somebody lists

	mu      sync.Mutex
	events  map[types.UID]*corev1.Event
	read    time.Time // when they were listed
	asked   time.Time
	watched bool
	denied  time.Time // when watching was refused
}

// CloseEvents ends all watches of events.
func (a *CachedReader) CloseEvents() {
	a.logs.mu.Lock()
	defer a.logs.mu.Unlock()
	if a.logs.end != nil && !a.logs.ended {
		close(a.logs.end)
	}
	a.logs.ended = true
}

// logOf is the log of a selector.
func (a *CachedReader) logOf(of eventsOf) *eventLog {
	a.logs.mu.Lock()
	defer a.logs.mu.Unlock()
	if a.logs.known == nil {
		a.logs.known, a.logs.end = map[eventsOf]*eventLog{}, make(chan struct{})
		if a.logs.ended {
			close(a.logs.end)
		}
	}
	l := a.logs.known[of]
	if l == nil {
		l = &eventLog{turn: make(chan struct{}, 1)}
		a.logs.known[of] = l
	}
	return l
}

// eventsNow are the events of a selector: those of now where they are watched, else at most 15 s old.
func (a *CachedReader) eventsNow(ctx context.Context, namespace, selector string) ([]*corev1.Event, error) {
	l := a.logOf(eventsOf{namespace, selector})
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if events, ok := l.fresh(); ok {
		return events, nil
	}
	listed, version, err := listEvents(ctx, a.options.Client, namespace, selector)
	if err != nil {
		return nil, err
	}
	if l.keep(listed) && a.options.Watcher != nil {
		l.watch(a.options.Watcher(), a.logs.end, namespace, metav1.ListOptions{FieldSelector: selector, ResourceVersion: version})
	}
	events, _ := l.fresh()
	return events, nil
}

// fresh are the events that are known, and whether they are new enough.
func (l *eventLog) fresh() (events []*corev1.Event, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	for _, e := range l.events {
		events = append(events, e)
	}
	return events, l.watched || l.events != nil && time.Since(l.read) <= remembered
}

// keep takes over what was listed, and reports whether it is worth watching: it is not the
// first time, and it may be watched.
func (l *eventLog) keep(listed map[types.UID]*corev1.Event) (again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	again = l.events != nil && time.Since(l.read) < unasked && time.Since(l.denied) > unwatchable
	l.events, l.read = listed, time.Now()
	return again
}

// watch follows the events from a list on, until nobody asks for them or the watch ends.
// Then they are listed again when somebody asks.
func (l *eventLog) watch(client kubernetes.Interface, end <-chan struct{}, namespace string, options metav1.ListOptions) {
	ctx, cancel := context.WithCancel(context.Background())
	options.TimeoutSeconds = new(int64(watchedFor / time.Second))
	w, err := client.CoreV1().Events(namespace).Watch(ctx, options)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		cancel()
		if apierrors.IsForbidden(err) {
			l.denied = time.Now()
		}
		return
	}
	l.watched = true
	go func() {
		defer utilruntime.HandleCrash()
		defer cancel()
		l.follow(w, end)
	}()
}

// follow takes in what is watched.
func (l *eventLog) follow(w watch.Interface, end <-chan struct{}) {
	defer func() {
		w.Stop()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watched, l.read = false, time.Now()
	}()
	look := time.NewTicker(unasked / 2)
	defer look.Stop()
	for {
		select {
		case <-end:
			return
		case <-look.C:
			l.mu.Lock()
			idle := time.Since(l.asked) > unasked
			l.mu.Unlock()
			if idle {
				return
			}
		case seen, ok := <-w.ResultChan():
			if !ok || !l.take(seen) {
				return
			}
		}
	}
}

// take takes in one change; it is false where the watch is of no more use.
func (l *eventLog) take(seen watch.Event) bool {
	e, ok := seen.Object.(*corev1.Event)
	if !ok {
		return seen.Type == watch.Bookmark
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch seen.Type {
	case watch.Added, watch.Modified:
		l.events[e.UID] = slim(e)
	case watch.Deleted:
		delete(l.events, e.UID)
	}
	return true
}

// slim leaves out what nobody reads of an event.
func slim(e *corev1.Event) *corev1.Event {
	e.ManagedFields, e.Annotations, e.Labels = nil, nil, nil
	return e
}

// listEvents lists page by page; version is that of the list.
func listEvents(ctx context.Context, client kubernetes.Interface, namespace, selector string) (events map[types.UID]*corev1.Event, version string, err error) {
	events = map[types.UID]*corev1.Event{}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		list, err := client.CoreV1().Events(namespace).List(ctx, options)
		if err != nil {
			return nil, err // not a typed nil
		}
		version = list.ResourceVersion
		return list, nil
	})
	pages.PageSize = page
	err = pages.EachListItem(ctx, metav1.ListOptions{FieldSelector: selector}, func(o runtime.Object) error {
		e, ok := o.(*corev1.Event)
		if !ok {
			return fmt.Errorf("list events: %T among them", o)
		}
		uid := e.UID
		if uid == "" { // of a file that people wrote
			uid = types.UID(e.Namespace + "/" + e.Name)
		}
		events[uid] = slim(e)
		return nil
	})
	return events, version, err
}
