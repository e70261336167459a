package client

import (
	"io"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// bookmarkTimeout is how long a watch may be silent where the server sends bookmarks: kube-apiserver
// sends one about every minute to each watch that is served from its cache.
const bookmarkTimeout = 100 * time.Second

// silentWatch is why a kind is not live: its last watch was silent for too long, and nothing
// has come yet from the one that was begun after it.
type silentWatch struct{ resource string }

// Error implements error.
func (s silentWatch) Error() string { return "the watch of " + s.resource + " is silent" }

// observedWatch is a watch of a listWatcher that notes what comes in.
type observedWatch struct {
	owner   *listWatcher
	source  watch.Interface
	streams bool // it begins with the whole list, and a bookmark after that
	began   time.Time
	events  chan watch.Event
	end     chan struct{} // closed by Stop
	once    sync.Once

	// The listWatcher's lock guards these.
	heard time.Time // when the last event came; before the first, when it was begun
	works bool      // what came of it is whole so far
	gone  bool      // it has ended
}

// ResultChan implements watch.Interface.
func (o *observedWatch) ResultChan() <-chan watch.Event { return o.events }

// Stop implements watch.Interface.
func (o *observedWatch) Stop() {
	o.once.Do(func() { close(o.end) })
	o.source.Stop()
}

// run passes events on, until the watch ends.
func (o *observedWatch) run() {
	defer close(o.events)
	defer o.leave()
	var failed error
	for event := range o.source.ResultChan() {
		if event.Type == watch.Error {
			failed = apierrors.FromObject(event.Object)
		} else {
			o.hear(event)
		}
		select {
		case o.events <- event:
		case <-o.end:
			return
		}
	}
	select {
	case <-o.end: // by our own wish
	default:
		o.ended(failed)
	}
}

// leave notes the end, whoever wished it.
func (o *observedWatch) leave() {
	o.owner.mu.Lock()
	defer o.owner.mu.Unlock()
	o.gone = true
}

// hear notes an event. A watch from which anything comes works; one that streams
// the list first works once that has an end.
func (o *observedWatch) hear(event watch.Event) {
	f := o.owner
	f.mu.Lock()
	o.heard = time.Now()
	bookmark := event.Type == watch.Bookmark
	if bookmark {
		m, err := meta.Accessor(event.Object)
		if err == nil && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "" {
			f.bookmarked = true
			f.health.bookmarks.Store(true)
		}
	}
	if bookmark || !o.streams {
		o.works = true
		f.watches.succeeded()
	}
	mended := o.works && f.err != nil
	speaks := !f.silent.IsZero()
	f.silent = time.Time{}
	f.mu.Unlock()
	if mended {
		f.note(nil, true)
	}
	if speaks {
		f.changed()
	}
}

// ended notes the end of a watch by the server. After an error, and after half a
// list, the next one waits for a while.
func (o *observedWatch) ended(failed error) {
	f := o.owner
	f.mu.Lock()
	switch {
	case failed == nil && (o.works || !o.streams):
	case time.Since(o.began) >= longLived:
		f.watches.succeeded()
	default:
		f.watches.failed(0)
		if failed == nil && f.watches.tries >= reportAfter {
			failed = io.ErrUnexpectedEOF
		}
	}
	f.mu.Unlock()
	if failed != nil {
		f.note(failed, true)
	}
}

// bookmarksDue reports whether the server sends bookmarks of this kind: it has, or it sends those of others and
// this is nodes or pods. Of what it does not cache, as of events (DefaultWatchCacheSizes of
// k8s.io/kubernetes/pkg/kubeapiserver), it sends none. The lock is held.
func (f *listWatcher) bookmarksDue() bool {
	return f.bookmarked || f.health.bookmarks.Load() && (f.gvr == podResource.gvr || f.gvr == nodeResource.gvr)
}

// tend looks after the watch that is open. One that is silent for too long though
// bookmarks are due is ended: its connection may be dead, and the reflector begins
// another one from there on. Until something comes of that the kind is not live, and
// the user may want another one. One that lasts is trusted again.
func (f *listWatcher) tend() {
	f.mu.Lock()
	o := f.open
	if o == nil || o.gone {
		f.mu.Unlock()
		return
	}
	slept := time.Since(f.tended) > bookmarkTimeout/2 // the computer: its watches are as old as all else
	f.tended = time.Now()
	silent := f.bookmarksDue() && time.Since(o.heard) > bookmarkTimeout
	if silent && !slept && f.silent.IsZero() {
		f.silent = o.heard
	}
	retries := f.health.retries.Load()
	again := !f.silent.IsZero() && retries > f.retries
	f.retries = retries
	trusted := f.watches.tries > 0 && time.Since(o.began) >= longLived
	if trusted {
		f.watches.succeeded()
	}
	f.mu.Unlock()
	if silent || again {
		o.source.Stop()
		f.changed()
	}
	if trusted {
		f.note(nil, true)
	}
}
