package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// RejectedPods finds the controllers whose pods were rejected. A controller is suspected at
// little cost: by a condition of a ReplicaSet that is read anyway, or by an event. Its
// live object shows whether pods are still missing. If none are, it is read again only
// after it changes.
type RejectedPods struct {
	options RejectedPodOptions
	now     func() time.Time
	podsIn  func(namespace string) ([]*corev1.Pod, error)
	wake    chan struct{} // capacity one: a controller is suspected
	synced  []cache.DoneChecker

	mu       sync.Mutex
	suspects map[types.UID]*suspect
	unread   map[string]model.Unread // by resource: controllers that may not be read
	found    []*model.NotCreated
	known    bool // all controllers that were suspected at the start were read
}

// suspect is a controller whose pods may have been refused.
type suspect struct {
	owner
	words      // of the events about it
	due   bool // it has to be asked (again)
	is    *model.NotCreated
}

// owner names a controller.
type owner struct {
	kind            string
	namespace, name string
	uid             types.UID
}

// words are what events say about the rejections of a controller's pods.
type words struct {
	message     string // the newest
	event       string // whose it is: names end with the time in nanoseconds, and times have only seconds
	since, last time.Time
}

const (
	// together is how long suspects are collected before they are read.
	together = 100 * time.Millisecond
	// askAgain is how often controllers that are not watched are read.
	askAgain = 15 * time.Second
	// patient is how long lists may take before controllers are read without them.
	patient = 30 * time.Second
	// eventLife is how long the API server keeps events. Controllers try at least
	// every 17 minutes, so one that left none was not refused within it.
	eventLife = time.Hour
)

// RejectedPodOptions are what rejections are found by.
type RejectedPodOptions struct {
	Client kubernetes.Interface // reads, and gives up soon
	// Factory is not started yet. Of events it sees those of the reason FailedCreate.
	Factory informers.SharedInformerFactory
	Reads   func(resource string) bool // whether a kind comes in
	Changed func()                     // is called when the result changed
	Stale   <-chan struct{}            // closed: the source is no longer used; nil: never
}

// NewRejectedPods registers the handlers; Run looks for rejections.
func NewRejectedPods(options RejectedPodOptions) (*RejectedPods, error) {
	r := &RejectedPods{
		options: options, now: time.Now, wake: make(chan struct{}, 1),
		suspects: map[types.UID]*suspect{}, unread: map[string]model.Unread{},
	}
	r.podsIn = func(namespace string) ([]*corev1.Pod, error) {
		return options.Factory.Core().V1().Pods().Lister().Pods(namespace).List(labels.Everything())
	}
	return r, r.listen(options.Factory)
}

// listen registers the handlers, before the factory starts.
func (r *RejectedPods) listen(factory informers.SharedInformerFactory) error {
	apps, core := factory.Apps().V1(), factory.Core().V1()
	for resource, of := range map[string]struct {
		informer func() cache.SharedIndexInformer
		see      func(any)
	}{
		"events":                 {core.Events().Informer, r.seeEvent},
		"replicasets":            {apps.ReplicaSets().Informer, r.seeOwner},
		"replicationcontrollers": {core.ReplicationControllers().Informer, r.seeOwner},
		"statefulsets":           {apps.StatefulSets().Informer, r.seeOwner},
	} {
		if !r.options.Reads(resource) {
			continue
		}
		handle, err := of.informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    of.see,
			UpdateFunc: func(_, is any) { of.see(is) },
		})
		if err != nil {
			return fmt.Errorf("watch %s: %w", resource, err)
		}
		r.synced = append(r.synced, handle.HasSyncedChecker())
	}
	if r.options.Reads("pods") { // those that were created since an event are looked for
		r.synced = append(r.synced, core.Pods().Informer().HasSyncedChecker())
	}
	return nil
}

// seeEvent notes what an event says about a controller.
func (r *RejectedPods) seeEvent(seen any) {
	e, ok := seen.(*corev1.Event)
	if !ok || creators[e.InvolvedObject.Kind] == nil {
		return
	}
	told := model.NewEvent(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	of := e.InvolvedObject
	s := r.suspect(owner{of.Kind, of.Namespace, of.Name, of.UID})
	if told.Last.After(s.last) || told.Last.Equal(s.last) && e.Name >= s.event {
		s.last, s.message, s.event = told.Last, told.Message, e.Name
	}
	if s.since.IsZero() || told.First.Before(s.since) {
		s.since = told.First
	}
}

// seeOwner suspects a controller that says so itself, and asks one again that
// was suspect and changed.
func (r *RejectedPods) seeOwner(seen any) {
	_, failed, of := saysItself(seen)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.suspects[of.uid]; failed || known {
		r.suspect(of)
	}
}

// suspect makes sure that a controller is read. The lock is held.
func (r *RejectedPods) suspect(of owner) *suspect {
	s := r.suspects[of.uid]
	if s == nil {
		s = &suspect{owner: of}
		r.suspects[of.uid] = s
	}
	s.due = true
	select {
	case r.wake <- struct{}{}:
	default: // a round is due already
	}
	return s
}

// Run reads the suspected controllers, until ctx ends or the source is no longer used.
func (r *RejectedPods) Run(ctx context.Context) {
	r.await(ctx)
	for {
		r.round(ctx)
		select {
		case <-r.wake:
			if !r.pause(ctx, together) {
				return
			}
		case <-time.After(askAgain):
			r.recall()
		case <-r.options.Stale:
			return
		case <-ctx.Done():
			return
		}
	}
}

// pause waits, and reports whether rejections are of use still.
func (r *RejectedPods) pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.options.Stale:
		return false
	case <-ctx.Done():
		return false
	}
}

// await waits until everything that makes controllers suspect is in. Where that
// takes too long the rest is found when it comes.
func (r *RejectedPods) await(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	cache.WaitFor(limited, "", r.synced...)
}

// recall makes those due whose pods are missing and whose objects nobody
// watches, or whose words get old.
func (r *RejectedPods) recall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.suspects {
		s.due = s.due || s.is != nil && !r.options.Reads(creators[s.kind].resource)
	}
}

// round reads all controllers that are due, and reports if anything changed.
func (r *RejectedPods) round(ctx context.Context) {
	r.mu.Lock()
	var due []suspect
	for _, s := range r.suspects {
		if s.due {
			due = append(due, *s)
			s.due = false
		}
	}
	r.mu.Unlock()

	verdicts := make([]verdict, len(due))
	slots := make(chan struct{}, 8)
	var asking sync.WaitGroup
	for i := range due {
		asking.Go(func() {
			defer utilruntime.HandleCrash()
			slots <- struct{}{}
			defer func() { <-slots }()
			verdicts[i] = r.ask(ctx, due[i])
		})
	}
	asking.Wait()
	if ctx.Err() == nil && r.keep(due, verdicts) {
		r.options.Changed()
	}
}

// keep takes over what was found, and reports whether it is new.
func (r *RejectedPods) keep(due []suspect, verdicts []verdict) (news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	news = !r.known
	r.known = true
	for i, v := range verdicts {
		s := r.suspects[due[i].uid]
		switch {
		case v.unread != nil:
			news = news || r.unread[v.unread.Resource] != *v.unread
			r.unread[v.unread.Resource] = *v.unread
			s.due = true // in the next round
		case v.err != nil:
			s.due = true
		case v.gone:
			delete(r.suspects, s.uid)
			fallthrough
		default:
			delete(r.unread, creators[s.kind].resource)
		}
		if v.err == nil && !alike(s.is, v.is) {
			s.is, news = v.is, true
		}
	}
	if news {
		r.found = r.found[:0:0]
		for _, uid := range slices.Sorted(maps.Keys(r.suspects)) {
			if is := r.suspects[uid].is; is != nil {
				r.found = append(r.found, is)
			}
		}
	}
	return news
}

// NotCreated are those whose pods are missing.
func (r *RejectedPods) NotCreated() []*model.NotCreated {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}

// Status adds what is not known.
func (r *RejectedPods) Status(status *model.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	status.Seeking = !r.known
	for _, resource := range slices.Sorted(maps.Keys(r.unread)) {
		if u := r.unread[resource]; !slices.Contains(status.Unread, u) {
			status.Unread = append(status.Unread, u)
		}
	}
}
