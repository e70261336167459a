package scheduler

import (
	"reflect"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// objectOverlay are objects that lie over those of an informer in a simulated state: the
// plugins read volumes and claims from its indexer, and see them in the place of
// the real ones of their names. Claims that do not exist are shown by their names alone:
// PersistentVolumeClaims without a resourceVersion here, ResourceClaims by tracedDRA.
type objectOverlay struct {
	mu      sync.RWMutex
	objects map[string]any // by namespace/name, or by name
}

// objectOverlays are what can be overlaid, by the type of the object.
type objectOverlays map[reflect.Type]*objectOverlay

// of is what lies over a kind of object; nil where nothing ever does.
func (k objectOverlays) of(object runtime.Object) *objectOverlay { return k[reflect.TypeOf(object)] }

// set replaces the overlay; nil: none.
func (l *objectOverlay) set(objects map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objects = objects
}

// now is the whole overlay.
func (l *objectOverlay) now() map[string]any {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.objects
}

// overlayInformer is an informer whose indexer shows what lies over it.
type overlayInformer struct {
	cache.SharedIndexInformer
	over *objectOverlay
}

// GetIndexer implements cache.SharedIndexInformer.
func (i overlayInformer) GetIndexer() cache.Indexer {
	return overlayIndexer{i.SharedIndexInformer.GetIndexer(), i.over}
}

// GetStore implements cache.SharedInformer.
func (i overlayInformer) GetStore() cache.Store { return i.GetIndexer() }

// overlayIndexer shows what lies over an indexer. An overlay keeps all that
// the indices are made of: its namespace and its class.
type overlayIndexer struct {
	cache.Indexer
	over *objectOverlay
}

// List implements cache.Store.
func (i overlayIndexer) List() []any { return i.overlaid(i.Indexer.List()) }

// GetByKey implements cache.Store. The indexer is read in any case: that notes
// reads of what may not be read. What is gone there stays gone, unless it is new.
func (i overlayIndexer) GetByKey(key string) (any, bool, error) {
	was, ok, err := i.Indexer.GetByKey(key)
	if object, over := i.over.now()[key]; over && (ok || isNew(object)) {
		return object, true, err
	}
	return was, ok, err
}

// isNew reports whether no API server has stored an object.
func isNew(object any) bool {
	of, ok := object.(metav1.Object)
	return ok && of.GetResourceVersion() == ""
}

// Index implements cache.Indexer.
func (i overlayIndexer) Index(name string, object any) ([]any, error) {
	list, err := i.Indexer.Index(name, object)
	return i.overlaid(list), err
}

// ByIndex implements cache.Indexer.
func (i overlayIndexer) ByIndex(name, value string) ([]any, error) {
	list, err := i.Indexer.ByIndex(name, value)
	return i.overlaid(list), err
}

// overlaid is the list with the overlay in its place.
func (i overlayIndexer) overlaid(list []any) []any {
	objects := i.over.now()
	if len(objects) == 0 {
		return list
	}
	list = slices.Clone(list)
	for n, object := range list {
		if key, err := cache.MetaNamespaceKeyFunc(object); err == nil && objects[key] != nil {
			list[n] = objects[key]
		}
	}
	return list
}
