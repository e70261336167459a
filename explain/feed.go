package explain

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/tools/cache"
)

// feed is the informer factory as the plugins get it. Some of them keep volumes,
// claims and devices in caches of their own, which event handlers fill a moment
// after the informers count as synced: the feed notes those handlers, so that no
// answer comes from caches that are still empty. Over the objects of some kinds
// others can be laid.
type feed struct {
	informers.SharedInformerFactory
	handlers *[]cache.ResourceEventHandlerRegistration
	laid     objectOverlays
}

// Core implements informers.SharedInformerFactory.
func (f feed) Core() core.Interface { return core.New(f, metav1.NamespaceAll, nil) }

// Resource implements informers.SharedInformerFactory.
func (f feed) Resource() resource.Interface { return resource.New(f, metav1.NamespaceAll, nil) }

// InformerFor implements informers.SharedInformerFactory.
func (f feed) InformerFor(object runtime.Object, build internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	informer := f.SharedInformerFactory.InformerFor(object, build)
	if over := f.laid.of(object); over != nil {
		informer = laidInformer{informer, over}
	}
	return fed{informer, f.handlers}
}

// fed is an informer whose handlers are noted.
type fed struct {
	cache.SharedIndexInformer
	handlers *[]cache.ResourceEventHandlerRegistration
}

// AddEventHandler implements cache.SharedInformer.
func (i fed) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.note(i.SharedIndexInformer.AddEventHandler(handler))
}

// AddEventHandlerWithResyncPeriod implements cache.SharedInformer.
func (i fed) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.note(i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(handler, resync))
}

// AddEventHandlerWithOptions implements cache.SharedInformer.
func (i fed) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.note(i.SharedIndexInformer.AddEventHandlerWithOptions(handler, options))
}

func (i fed) note(r cache.ResourceEventHandlerRegistration, err error) (cache.ResourceEventHandlerRegistration, error) {
	if err == nil {
		*i.handlers = append(*i.handlers, r)
	}
	return r, err
}

// settling is how long an explanation waits at most for the plugins' own caches.
const settling = 2 * time.Second

// settle waits until the plugins' own caches have seen what the informers hold.
// Informers that have not synced are the caller's business: it does not wait for
// those for ever.
func (e *Engine) settle(ctx context.Context) {
	deadline := time.Now().Add(settling)
	for len(e.handlers) > 0 && ctx.Err() == nil && time.Now().Before(deadline) {
		if last := len(e.handlers) - 1; e.handlers[last].HasSynced() {
			e.handlers = e.handlers[:last]
			continue
		}
		time.Sleep(time.Millisecond)
	}
	e.handlers = nil
}
