package client

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
)

// page is how many objects are asked for at once where a kind cannot be streamed.
const page = 500

// listWatcher fills one informer. It waits while the server is away or has trouble of its
// own, so its reflector never sees that and never backs off for it.
type listWatcher struct {
	watchedResource
	listWatch
	health  *serverHealth
	strip   *strip.Stripper
	denied  func(*listWatcher) // the server forbids what it allowed before
	changed func()

	informer cache.SharedIndexInformer
	count    atomic.Int64 // objects that came in

	mu         sync.Mutex
	err        error     // why the last list or watch failed; nil while one is open
	since      time.Time // since when
	noWatch    bool      // lists are allowed, watches are not
	lists      backoff
	watches    backoff
	open       *observedWatch // the watch that is open, or was last; nil before the first
	bookmarked bool           // bookmarks of this kind came, not only at the end of a list
	tended     time.Time      // when that was looked after last
	retries    int64          // of the user, that it knows of
	silent     time.Time      // since when nothing came of watches though bookmarks are due; zero: something did
}

// register makes it the factory's source of its kind.
func (f *listWatcher) register(factory informers.SharedInformerFactory, client kubernetes.Interface) {
	f.informer = factory.InformerFor(f.object, func(_ kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		source := &cache.ListWatch{ListWithContextFunc: f.fetch, WatchFuncWithContext: f.follow}
		informer := cache.NewSharedIndexInformerWithOptions(
			cache.ToListWatcherWithWatchListSemantics(source, client), f.object,
			cache.SharedIndexInformerOptions{
				ResyncPeriod: resync,
				Indexers:     cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
			})
		_ = informer.SetTransform(f.transform) // fails only once started
		// Errors are kept here; the informer would log them. It fails only
		// once started.
		_ = informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {})
		return informer
	})
}

// fetch lists, or lists one page. Where client-go would take a whole list at
// once, a big kind is read in pages, each stripped before the next is asked for.
func (f *listWatcher) fetch(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	options.FieldSelector = f.fields
	if f.big && options.Continue == "" {
		// The server ignores a limit beside a resource version.
		options.Limit, options.ResourceVersion, options.ResourceVersionMatch = page, "", ""
	}
	for {
		if err := f.ready(ctx, &f.lists); err != nil {
			return nil, err
		}
		asking, delay := delayed(ctx)
		list, err := f.list(asking, options)
		if ctx.Err() == nil && f.health.lost(err) {
			continue
		}
		f.pace(&f.lists, err, *delay)
		f.note(err, false)
		if passes(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return list, f.stripAll(list)
	}
}

// follow watches, or streams the whole list first.
func (f *listWatcher) follow(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.FieldSelector = f.fields
	for {
		if err := f.ready(ctx, &f.watches); err != nil {
			return nil, err
		}
		asking, delay := delayed(ctx)
		w, err := f.watch(asking, options)
		if ctx.Err() == nil && f.health.lost(err) {
			continue
		}
		if err == nil {
			streams := options.SendInitialEvents != nil
			if streams {
				f.listsFirst()
			}
			f.note(nil, true)
			return f.observe(w, streams), nil
		}
		if !cannotStream(err) {
			f.pace(&f.watches, err, *delay)
		}
		f.note(err, true)
		if !passes(err) {
			return nil, err
		}
	}
}

// ready waits until the server is there and the next try is due. When the server
// is found again all go on at once; only what it asked for itself is waited for.
func (f *listWatcher) ready(ctx context.Context, b *backoff) error {
	for {
		found := f.health.foundAgain()
		if err := f.health.open(ctx); err != nil {
			return err
		}
		f.mu.Lock()
		wait, asked := time.Until(b.next), b.asked
		f.mu.Unlock()
		switch {
		case wait <= 0:
			return nil
		case asked:
			found = nil
		}
		select {
		case <-time.After(wait):
		case <-found:
			f.mu.Lock()
			b.next = time.Time{}
			f.mu.Unlock()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pace notes how a try ended.
func (f *listWatcher) pace(b *backoff, err error, delay time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		b.succeeded()
		return
	}
	b.failed(delay)
	b.refused = true
}

// listsFirst notes that a watch which was begun works only once the list is in.
func (f *listWatcher) listsFirst() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watches.refused = false
}

// observe follows what a watch says, until it ends.
func (f *listWatcher) observe(w watch.Interface, streams bool) watch.Interface {
	o := &observedWatch{owner: f, source: w, streams: streams, began: time.Now(), heard: time.Now(), events: make(chan watch.Event), end: make(chan struct{})}
	f.mu.Lock()
	f.open = o
	f.mu.Unlock()
	go o.run()
	return o
}

// note remembers how the last request went.
func (f *listWatcher) note(err error, watching bool) {
	forbidden := apierrors.IsForbidden(err)
	f.mu.Lock()
	before, beforeNoWatch := f.err, f.noWatch
	f.take(err, watching)
	changed := (before == nil) != (f.err == nil) || beforeNoWatch != f.noWatch || passes(err)
	f.mu.Unlock()
	if forbidden && !watching {
		f.denied(f)
	}
	if changed {
		f.changed()
	}
}

// take is note under the lock.
func (f *listWatcher) take(err error, watching bool) {
	switch {
	case watching && apierrors.IsForbidden(err):
		f.noWatch = true // whether the list is allowed, the list that follows says
	case watching && (cannotStream(err) || expired(err) && f.watches.tries < reportAfter):
		// The server cannot stream lists, or not from there: a list follows.
	case err != nil:
		if f.err == nil {
			f.since = time.Now()
		}
		f.err = err
	case f.watches.tries >= reportAfter && (!watching || !f.watches.refused):
		// What was listed is not followed, or for how long nobody knows.
	default:
		f.err, f.since = nil, time.Time{}
		if !watching {
			f.silent = time.Time{} // what was listed is new
		}
		f.noWatch = f.noWatch && !watching
	}
}

// cannotStream says that the server takes no such watch. A list follows, and it
// counts as no failure.
func cannotStream(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) }

func expired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

// breakage is that a list or watch does not work.
type breakage struct {
	err   error     // why; nil: it comes in
	since time.Time // since when
	tries int       // that failed, in a row
	next  time.Time // when the next one is due
}

// broken reports whether nothing comes in.
func (f *listWatcher) broken() breakage {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err == nil && f.silent.IsZero():
		return breakage{}
	case f.err == nil:
		return breakage{err: silentWatch{f.gvr.Resource}, since: f.silent}
	}
	b := f.lists
	if b.tries == 0 {
		b = f.watches
	}
	return breakage{f.err, f.since, b.tries, b.next}
}

// unread says what of this kind cannot be read; "" if all of it can.
func (f *listWatcher) unread() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case apierrors.IsForbidden(f.err):
		return notAllowed("list", f.watchedResource)
	case f.noWatch:
		return notAllowed("watch", f.watchedResource) + "; listed again periodically"
	}
	return ""
}

// notAllowed words what the user may not do.
func notAllowed(verb string, k watchedResource) string {
	return fmt.Sprintf("not allowed to %s %s", verb, k.gvr.Resource)
}

// stripAll strips a list's objects where they stand, and counts them.
func (f *listWatcher) stripAll(list runtime.Object) error {
	return meta.EachListItem(list, func(o runtime.Object) error {
		_, err := f.transform(o)
		return err
	})
}

// transform strips an object and counts it, once however often it is called.
func (f *listWatcher) transform(o any) (any, error) {
	if object, err := meta.Accessor(o); err == nil && !strip.IsStripped(object) {
		f.count.Add(1)
	}
	return f.strip.Strip(o)
}

// empty registers a kind that the server does not have: always in, never
// anything there.
func empty(factory informers.SharedInformerFactory, k watchedResource) {
	factory.InformerFor(k.object, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformerWithOptions(nothing{}, k.object, cache.SharedIndexInformerOptions{
			Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		})
	})
}

// nothing is a cluster without objects.
type nothing struct{}

func (nothing) List(metav1.ListOptions) (runtime.Object, error) {
	return &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
}

func (nothing) Watch(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil }

// IsWatchListSemanticsUnSupported makes reflectors list first: nothing would
// never end a streamed list.
func (nothing) IsWatchListSemanticsUnSupported() bool { return true }
