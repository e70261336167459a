package scheduler

import (
	"context"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/tools/cache"
)

// informerSet is the informer factory as the plugins get it. Some of them keep volumes,
// claims and devices in caches of their own, which event handlers fill a moment
// after the informers count as synced: the feed notes those handlers, so that no
// answer comes from caches that are still empty. Over the objects of some kinds
// overlays can lie.
type informerSet struct {
	informers.SharedInformerFactory
	handlers *[]cache.ResourceEventHandlerRegistration
	overlays objectOverlays
	likeOf   func(node string) string // of a CSINode: whose it is
}

// Core implements informers.SharedInformerFactory.
func (f informerSet) Core() core.Interface { return core.New(f, metav1.NamespaceAll, nil) }

// Resource implements informers.SharedInformerFactory.
func (f informerSet) Resource() resource.Interface { return resource.New(f, metav1.NamespaceAll, nil) }

// Storage implements informers.SharedInformerFactory.
func (f informerSet) Storage() storage.Interface { return storage.New(f, metav1.NamespaceAll, nil) }

// InformerFor implements informers.SharedInformerFactory.
func (f informerSet) InformerFor(object runtime.Object, build internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	informer := f.SharedInformerFactory.InformerFor(object, build)
	if over := f.overlays.of(object); over != nil {
		informer = overlayInformer{informer, over}
	}
	if _, ok := object.(*storagev1.CSINode); ok {
		informer = likeInformer{informer, f.likeOf}
	}
	return notingInformer{informer, f.handlers}
}

// notingInformer is an informer whose handlers are noted.
type notingInformer struct {
	cache.SharedIndexInformer
	handlers *[]cache.ResourceEventHandlerRegistration
}

// AddEventHandler implements cache.SharedInformer.
func (i notingInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.note(i.SharedIndexInformer.AddEventHandler(handler))
}

// AddEventHandlerWithResyncPeriod implements cache.SharedInformer.
func (i notingInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.note(i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(handler, resync))
}

// AddEventHandlerWithOptions implements cache.SharedInformer.
func (i notingInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.note(i.SharedIndexInformer.AddEventHandlerWithOptions(handler, options))
}

func (i notingInformer) note(r cache.ResourceEventHandlerRegistration, err error) (cache.ResourceEventHandlerRegistration, error) {
	if err == nil {
		*i.handlers = append(*i.handlers, r)
	}
	return r, err
}

// settling is how long an explanation waits at most for the plugins' own caches.
const settling = 2 * time.Second

// Settle waits until the plugins' own caches have seen what the informers hold.
// Informers that have not synced are the caller's business: it does not wait for
// those for ever.
func (s *Scheduler) Settle(ctx context.Context) {
	deadline := time.Now().Add(settling)
	for len(s.handlers) > 0 && ctx.Err() == nil && time.Now().Before(deadline) {
		if last := len(s.handlers) - 1; s.handlers[last].HasSynced() {
			s.handlers = s.handlers[:last]
			continue
		}
		time.Sleep(time.Millisecond)
	}
	s.handlers = nil
}
