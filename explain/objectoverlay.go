package explain

import (
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// objectOverlay are objects that lie over those of an informer in a supposed state: the
// plugins read volumes and claims from its indexer, and see them in the place of
// the real ones of their names.
type objectOverlay struct {
	mu      sync.RWMutex
	objects map[string]any // by namespace/name, or by name
}

// objectOverlays are what can be laid over, by the type of the object.
type objectOverlays map[reflect.Type]*objectOverlay

// of is what lies over a kind of object; nil where nothing ever does.
func (k objectOverlays) of(object runtime.Object) *objectOverlay { return k[reflect.TypeOf(object)] }

// set replaces all that is laid; nil lays nothing.
func (l *objectOverlay) set(objects map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objects = objects
}

// now is all that is laid.
func (l *objectOverlay) now() map[string]any {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.objects
}

// laidInformer is an informer whose indexer shows what is laid over it.
type laidInformer struct {
	cache.SharedIndexInformer
	over *objectOverlay
}

// GetIndexer implements cache.SharedIndexInformer.
func (i laidInformer) GetIndexer() cache.Indexer {
	return laidIndexer{i.SharedIndexInformer.GetIndexer(), i.over}
}

// GetStore implements cache.SharedInformer.
func (i laidInformer) GetStore() cache.Store { return i.GetIndexer() }

// laidIndexer shows what is laid over an indexer. What is laid keeps all that
// the indices are made of: its namespace and its class.
type laidIndexer struct {
	cache.Indexer
	over *objectOverlay
}

// List implements cache.Store.
func (i laidIndexer) List() []any { return i.overlaid(i.Indexer.List()) }

// GetByKey implements cache.Store. The indexer is read in any case: that notes
// reads of what may not be read.
func (i laidIndexer) GetByKey(key string) (any, bool, error) {
	was, ok, err := i.Indexer.GetByKey(key)
	if object, laid := i.over.now()[key]; laid && ok {
		return object, true, err
	}
	return was, ok, err
}

// Index implements cache.Indexer.
func (i laidIndexer) Index(name string, object any) ([]any, error) {
	list, err := i.Indexer.Index(name, object)
	return i.overlaid(list), err
}

// ByIndex implements cache.Indexer.
func (i laidIndexer) ByIndex(name, value string) ([]any, error) {
	list, err := i.Indexer.ByIndex(name, value)
	return i.overlaid(list), err
}

// overlaid is the list with what is laid in its place.
func (i laidIndexer) overlaid(list []any) []any {
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
