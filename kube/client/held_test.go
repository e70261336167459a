package client

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// informerOf is an informer that holds what a test puts into its store.
type informerOf struct {
	cache.SharedInformer

	store  cache.Store
	synced bool
}

func (i *informerOf) GetStore() cache.Store { return i.store }
func (i *informerOf) HasSynced() bool       { return i.synced }

func TestWhatIsHeldIsKnownOnceItIsInAndNeverLongOutOfDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		informer := &informerOf{store: cache.NewStore(cache.MetaNamespaceKeyFunc)}
		pods := held[*corev1.Pod](informer)
		if all := pods(); all != nil {
			t.Errorf("%d pods of an informer that has read none yet, want nil", len(all))
		}
		informer.synced = true
		if all := pods(); all == nil || len(all) != 0 {
			t.Errorf("pods of an informer that found none: %v, want an empty list", all)
		}
		for i, name := range []string{"a", "b"} {
			if err := informer.store.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(heldFor)
			if all := pods(); len(all) != i+1 {
				t.Errorf("%d pods %v after pod %s came, want %d", len(all), heldFor, name, i+1)
			}
		}
		if err := informer.store.Replace(nil, ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(heldFor)
		if all := pods(); len(all) != 0 {
			t.Errorf("%d pods %v after all went", len(all), heldFor)
		}
	})
}
