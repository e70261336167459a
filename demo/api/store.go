// Package api is an API server in memory. It defaults, validates, versions and watches
// the objects of client-go's fake clientset with the registry strategies and admission
// plugins of kube-apiserver. Nothing listens and nothing is sent anywhere.
package api

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/clock"
)

// Store serves the objects of one cluster: it defaults, validates, admits and stores what
// its clients write.
type Store struct {
	clock   clock.WithTicker
	kinds   map[schema.GroupVersionResource]*kind
	storage storage
	names   names

	mu    sync.Mutex
	admit admission.Interface // nil: nothing is asked
}

// storage holds objects by kind, as etcd does for kube-apiserver. Stored objects are
// never changed: a write replaces the object.
type storage struct {
	mu      sync.Mutex
	version int64 // the resourceVersion of the last write
	tables  map[schema.GroupVersionResource]*table
}

// table holds the objects of one kind.
type table struct {
	objects  map[types.NamespacedName]runtime.Object
	log      []change // the newest writes, for watches that begin in the past
	forgot   int64    // the version of the last write that fell out of log
	watchers map[*watcher]struct{}
	most     int // objects; of more, the ones that were written longest ago are dropped. 0: any number
}

// change is one write.
type change struct {
	version int64
	kind    watch.EventType
	old     runtime.Object // nil for one that is new
	object  runtime.Object
}

// mostEvents is the number of events that are kept; kube-apiserver drops them after an hour.
const mostEvents = 5000

// remembered is the number of past writes of a kind from which a watch can start.
const remembered = 4096

// stream is the random stream of the store. package demo uses another one with the same
// seed, because otherwise both would generate the same UIDs.
const stream = 3

// NewStore makes an empty store. UIDs and generated names depend on the seed. Background
// work of its clients ends with their contexts.
func NewStore(ctx context.Context, c clock.WithTicker, seed uint64) *Store {
	s := &Store{clock: c, names: names{random: rand.New(rand.NewPCG(seed, stream))}}
	s.storage = storage{version: 1, tables: map[schema.GroupVersionResource]*table{}}
	s.kinds = kinds(s.Client(ctx, Reads).CoreV1().Namespaces())
	for resource := range s.kinds {
		s.storage.tables[resource] = &table{objects: map[types.NamespacedName]runtime.Object{}, watchers: map[*watcher]struct{}{}}
	}
	s.storage.tables[corev1.SchemeGroupVersion.WithResource("events")].most = mostEvents
	return s
}

// Admit sets the admission plugins for every write from now on; nil is none.
func (s *Store) Admit(by admission.Interface) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admit = by
}

// object finds a stored object.
func (s *storage) object(of *kind, name types.NamespacedName) (runtime.Object, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	object, ok := s.tables[of.stored.resource].objects[name]
	return object, ok
}

// put stores object with the next resourceVersion, if old is still the stored object; nil
// is none.
func (s *storage) put(of *kind, old, object runtime.Object) bool {
	name := nameOf(object)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[of.stored.resource]
	if now, ok := t.objects[name]; ok != (old != nil) || ok && now != old {
		return false
	}
	s.version++
	stamp(object, s.version)
	t.objects[name] = object
	what := watch.Modified
	if old == nil {
		what = watch.Added
	}
	t.notify(change{version: s.version, kind: what, old: old, object: object})
	if t.most > 0 && len(t.objects) > t.most {
		s.thin(t)
	}
	return true
}

// thin drops the oldest tenth of the objects of a table. The lock is held.
func (s *storage) thin(t *table) {
	all := slices.Collect(maps.Values(t.objects))
	slices.SortFunc(all, func(a, b runtime.Object) int { return cmp.Compare(versionOf(a), versionOf(b)) })
	for _, old := range all[:len(all)/10] {
		s.remove(t, old)
	}
}

// drop removes an object if it is still the stored one.
func (s *storage) drop(of *kind, old runtime.Object) bool {
	name := nameOf(old)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[of.stored.resource]
	if t.objects[name] != old {
		return false
	}
	s.remove(t, old)
	return true
}

// remove removes an object from its table. The lock is held.
func (s *storage) remove(t *table, old runtime.Object) {
	s.version++
	delete(t.objects, nameOf(old))
	last := old.DeepCopyObject()
	stamp(last, s.version)
	t.notify(change{version: s.version, kind: watch.Deleted, old: old, object: last})
}

// notify records a write and sends it to the watchers.
func (t *table) notify(e change) {
	if len(t.log) >= 2*remembered {
		t.forgot = t.log[remembered-1].version
		t.log = append([]change(nil), t.log[remembered:]...)
	}
	t.log = append(t.log, e)
	for w := range t.watchers {
		w.push(e)
	}
}

func stamp(object runtime.Object, version int64) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetResourceVersion(strconv.FormatInt(version, 10))
	}
}

func versionOf(object runtime.Object) int64 {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return 0
	}
	version, err := strconv.ParseInt(accessor.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0 // what is stored was stamped
	}
	return version
}

func nameOf(object runtime.Object) types.NamespacedName {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return types.NamespacedName{}
	}
	return types.NamespacedName{Namespace: accessor.GetNamespace(), Name: accessor.GetName()}
}
