package client

import (
	"context"
	"slices"
	"sync"
	"time"
	"weak"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// progress is the time between two notes of how far a list is.
const progress = 100 * time.Millisecond

// tendEvery is the time between two looks whether watches last, or are silent.
const tendEvery = time.Second

// givenBack is for how long a right that was lost is looked for often.
const givenBack = 10 * time.Minute

// source is what stands behind one cluster.Source.
type source struct {
	client       *Client
	permissions  *listPermissions
	scope        *scope
	grouped      bool // PodGroups are read
	listWatchers []*listWatcher
	ctx          context.Context // the source's life
	stale        chan struct{}
	ended        sync.Once // stale is closed
	doubts       sync.Map  // listWatchers whose permission may be lost

	rejections *cluster.RejectedPods
	suspended  *cluster.SuspendedJobs
}

// Source finds out what the user may list and gives a state of the cluster that
// is filled once its factory is started. All that it starts ends with ctx. Its
// error is ErrForbidden where the user may list neither pods nor nodes.
func (c *Client) Source(ctx context.Context) (*cluster.Source, error) {
	var early func(context.Context) (*cluster.First, error)
	if !c.unseen {
		early = firstPages{c.lister, c.target}.start(ctx)
	}
	looked := look(ctx, c)
	grouped := c.grouped.Load()
	permissions := &listPermissions{lists: c.reader, discovery: c.brief.Discovery(), target: c.target, resources: resourcesRead(grouped)}
	found, err := permissions.survey(ctx)
	looked.Wait()
	if err != nil {
		return nil, err
	}
	c.readiness.readBySome(found)
	c.have(found)
	factory := informers.NewSharedInformerFactoryWithOptions(c.reader, 0, informers.WithNamespace(found.namespace))
	s := &source{client: c, permissions: permissions, scope: found, grouped: grouped, ctx: ctx, stale: make(chan struct{})}
	trace := scheduler.NewUnreadable()
	if err := s.serveAll(factory, trace); err != nil {
		return nil, err
	}
	s.rejections, err = cluster.NewRejectedPods(cluster.RejectedPodOptions{
		Client: c.brief, Factory: factory, Reads: s.reads, Changed: c.changed, Stale: s.stale,
	})
	if err != nil {
		return nil, err
	}
	s.suspended = suspendedJobs(s, factory)
	c.asker.Use(cluster.Held{Pods: s.podsOf(factory), Nodes: s.nodesOf(factory), Groups: found.groups})
	s.start()
	return &cluster.Source{
		Factory: factory,
		Client:  c.reader,
		Trace:   trace,
		Status:  s.status,
		Changed: c.changes,
		Stale:   s.stale,
		First:   early,
		Usage:   func(ctx context.Context) (*model.Usage, error) { return c.usage.read(ctx, found.namespace) },

		Lookups:       cluster.LookupsOf(c.asker),
		Configuration: looked.configuration,
		Gates:         looked.gates,
		PodGroups:     s.podGroups(),
		Objects:       c.asker.Objects,
		NotCreated:    notCreatedOf(s),
	}, nil
}

// notCreatedOf are the pods that controllers could not create.
func notCreatedOf(s *source) func() []*model.NotCreated {
	return func() []*model.NotCreated { return slices.Concat(s.rejections.NotCreated(), s.suspended.Found()) }
}

// lookup finds out about the scheduler while the permissions are surveyed.
type lookup struct {
	sync.WaitGroup
	configuration *scheduler.Configuration
	gates         *scheduler.Gates
}

// look looks for the scheduler's configuration and for feature gates, at once.
func look(ctx context.Context, c *Client) *lookup {
	l := &lookup{}
	for _, find := range []func(){func() { l.configuration = c.schedulerConfig.find(ctx) }, func() { l.gates = c.gates.find(ctx) }} {
		l.Go(func() {
			defer utilruntime.HandleCrash()
			find()
		})
	}
	return l
}

// suspendedJobs finds the Jobs that a queue keeps suspended.
func suspendedJobs(s *source, factory informers.SharedInformerFactory) *cluster.SuspendedJobs {
	c := s.client
	return cluster.NewSuspendedJobs(cluster.SuspendedOptions{
		Watcher: c.reader, Client: c.brief, Namespace: s.scope.namespace, Groups: s.scope.groups, Changed: c.changed, Stale: s.stale, Pods: s.somePodsOf(factory),
		Ask: func(ctx context.Context) *metav1.APIGroupList { return cluster.AskGroups(ctx, c.asker) },
	})
}

// serveAll registers an informer for each kind: an empty one for those that are not there or
// may not be listed, which trace notes.
func (s *source) serveAll(factory informers.SharedInformerFactory, trace *scheduler.Unreadable) error {
	for _, k := range s.scope.resources {
		switch why := s.scope.why(k); {
		case why != "" && k.unplugged: // the status says so
		case why != "":
			if err := trace.Forbid(factory, k.gvr.Resource, why); err != nil {
				return err
			}
		case s.scope.permissions[k.gvr] == absent:
			empty(factory, k)
		default:
			s.serve(factory, k)
		}
	}
	return nil
}

// group notes that a pod names a PodGroup. If none did before, a new source has to be opened, which
// reads PodGroups too: where no pod names one they are not asked for.
func (s *source) group() {
	if !s.grouped {
		s.client.grouped.Store(true)
		s.close()
	}
}

// podGroups says what is read of PodGroups; nil where no pod names one.
func (s *source) podGroups() *cluster.PodGroups {
	if !s.grouped {
		return nil
	}
	why := func(k watchedResource) string {
		if s.scope.permissions[k.gvr] == absent {
			return "the server does not serve " + k.gvr.Resource
		}
		return s.scope.why(k)
	}
	g := &cluster.PodGroups{Unread: why(podGroups), Composite: s.scope.permissions[compositePodGroups.gvr] == allowed}
	if s.scope.permissions[compositePodGroups.gvr] == forbidden {
		g.CompositeUnread = why(compositePodGroups)
	}
	return g
}

// podsOf gives all pods of the cluster once they are in; nil before, and where not all may be read.
func (s *source) podsOf(factory informers.SharedInformerFactory) func() []*corev1.Pod {
	if s.scope.namespace != "" || !s.reads("pods") {
		return func() []*corev1.Pod { return nil }
	}
	some := s.somePodsOf(factory)
	return func() []*corev1.Pod {
		if all := some(); len(all) > 0 {
			return all
		}
		return nil
	}
}

// somePodsOf gives the pods that are read, which may be those of one namespace, or none; nil while
// they are not in.
func (s *source) somePodsOf(factory informers.SharedInformerFactory) func() []*corev1.Pod {
	if !s.reads("pods") {
		return func() []*corev1.Pod { return []*corev1.Pod{} }
	}
	return held[*corev1.Pod](factory.Core().V1().Pods().Informer())
}

// nodesOf gives all nodes once they are in; nil before, and where they may not be read.
func (s *source) nodesOf(factory informers.SharedInformerFactory) func() []*corev1.Node {
	if !s.reads("nodes") {
		return func() []*corev1.Node { return nil }
	}
	return held[*corev1.Node](factory.Core().V1().Nodes().Informer())
}

// heldFor is for how long at most what an informer holds is not listed again: of 50,000 pods a list takes
// more than a megabyte.
const heldFor = 5 * time.Second

// held gives all objects that an informer holds, as they were at most heldFor ago; nil while they are not in.
// Callers share the list and do not change it. The next collection of garbage forgets it.
func held[T any](informer cache.SharedInformer) func() []T {
	var mu sync.Mutex
	var last weak.Pointer[[]T] // what has gone since is not kept in memory for it
	var listed time.Time
	return func() []T {
		if !informer.HasSynced() {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if all := last.Value(); all != nil && time.Since(listed) < heldFor {
			return *all
		}
		listed = time.Now()
		all := objectsOf[T](informer)
		last = weak.Make(&all)
		return all
	}
}

// objectsOf are all objects that an informer holds, never nil. A lister's slice grows up to twice the size that
// is needed.
func objectsOf[T any](informer cache.SharedInformer) []T {
	objects := informer.GetStore().List()
	all := make([]T, 0, len(objects))
	for _, object := range objects {
		if typed, ok := object.(T); ok {
			all = append(all, typed)
		}
	}
	return all
}

// start runs what looks after the source while it lives.
func (s *source) start() {
	for _, run := range []func(){func() { s.rejections.Run(s.ctx) }, func() { s.suspended.Run(s.ctx) }, s.report, s.reconsider, s.tend} {
		go func() {
			defer utilruntime.HandleCrash()
			run()
		}()
	}
}

// serve makes the factory read a kind from the server.
func (s *source) serve(factory informers.SharedInformerFactory, k watchedResource) {
	stripper := s.client.shared.Stripper()
	stripper.Whole = s.client.whole
	stripper.Grouped = s.group
	f := &listWatcher{
		watchedResource: k,
		listWatch:       k.open(s.client.lister, s.scope.namespace),
		health:          s.client.health,
		strip:           stripper,
		denied:          s.doubt,
		changed:         s.client.changed,
	}
	f.register(factory, s.client.reader)
	s.listWatchers = append(s.listWatchers, f)
}

// reads reports whether a kind comes in.
func (s *source) reads(resource string) bool {
	return slices.ContainsFunc(s.listWatchers, func(f *listWatcher) bool { return f.gvr.Resource == resource })
}

// doubt looks again after a while whether a kind is forbidden now. If so, the
// source cannot be used any longer.
func (s *source) doubt(f *listWatcher) {
	if _, doubted := s.doubts.LoadOrStore(f, true); doubted {
		return
	}
	go func() {
		defer utilruntime.HandleCrash()
		defer s.doubts.Delete(f)
		if s.pause(s.client.health.pace.settle) && s.permissions.may(s.ctx, f.watchedResource, s.scope.namespace) == forbidden {
			s.close()
		}
	}()
}

// reconsider looks now and then whether a right was won, and for a while more
// often whether one that the user had before was given back.
func (s *source) reconsider() {
	opened, asked := time.Now(), time.Now()
	for s.pause(s.client.health.pace.settle) {
		all := time.Since(asked) >= s.client.health.pace.recheck
		if all {
			asked = time.Now()
		}
		had := func(k watchedResource, namespace string) bool {
			return time.Since(opened) < givenBack && s.client.had(k, namespace)
		}
		for _, k := range s.scope.resources {
			if s.scope.permissions[k.gvr] == forbidden && (all || had(k, s.scope.namespace)) && s.permissions.may(s.ctx, k, s.scope.namespace) == allowed {
				s.close()
				return
			}
		}
		if s.scope.namespace != "" && (all || had(podResource, "")) && s.permissions.may(s.ctx, podResource, "") == allowed {
			s.close()
			return
		}
	}
}

// close says that a new source has to be opened.
func (s *source) close() { s.ended.Do(func() { close(s.stale) }) }

// report tells of progress until everything is in.
func (s *source) report() {
	var before int64 = -1
	for s.pause(progress) {
		var read int64
		all := true
		for _, f := range s.listWatchers {
			read += f.count.Load()
			all = all && f.informer.HasSynced()
		}
		if read != before || all {
			s.client.changed()
		}
		if all {
			return
		}
		before = read
	}
}

// tend looks after the watches.
func (s *source) tend() {
	for s.pause(tendEvery) {
		for _, f := range s.listWatchers {
			f.tend()
		}
	}
}

// pause waits, and reports whether the source is still of use then.
func (s *source) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.stale:
		return false
	case <-s.ctx.Done():
		return false
	}
}

// status tells how the data stands now.
func (s *source) status() model.Status {
	c := s.client
	status := model.Status{
		Context:      c.target.context,
		KubectlFlags: c.target.kubectlFlags,
		Server:       c.target.config.Host,
		Version:      c.version,
		Namespace:    s.scope.namespace,
		Insecure:     c.target.insecure(),
		Reading:      map[string]int{},
		Unread:       s.scope.unread(),
		MetricsNote:  c.usage.note(),
	}
	s.rejections.Status(&status)
	s.suspended.Status(&status)
	var worst breakage
	for _, f := range s.listWatchers {
		if !f.informer.HasSynced() {
			status.Reading[f.gvr.Resource] = int(f.count.Load())
		}
		words, b := f.unread(), f.broken()
		if words != "" {
			status.Unread = append(status.Unread, f.watchedResource.unread(words))
		}
		old := words == "" || apierrors.IsForbidden(b.err) && f.informer.HasSynced() // what is shown is from before
		if b.err != nil && old && (worst.err == nil || b.since.Before(worst.since)) {
			worst = b
		}
	}
	status.Connection = c.health.connection(worst)
	return status
}
