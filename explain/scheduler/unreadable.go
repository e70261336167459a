package scheduler

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Unreadable notes which resources that could not be listed a plugin has read. One
// belongs to one informer factory and one Scheduler.
type Unreadable struct {
	mu        sync.Mutex
	forbidden map[string]string // resource → why
	read      map[string]bool   // since the last reset
}

// NewUnreadable is an Unreadable without forbidden resources.
func NewUnreadable() *Unreadable {
	return &Unreadable{forbidden: map[string]string{}, read: map[string]bool{}}
}

// kind is a resource that the scheduler's plugins read.
type kind struct {
	object, list runtime.Object
}

// kinds are all that a Scheduler asks its factory for, by resource.
var kinds = map[string]kind{
	"nodes":                  {&corev1.Node{}, &corev1.NodeList{}},
	"pods":                   {&corev1.Pod{}, &corev1.PodList{}},
	"namespaces":             {&corev1.Namespace{}, &corev1.NamespaceList{}},
	"persistentvolumes":      {&corev1.PersistentVolume{}, &corev1.PersistentVolumeList{}},
	"persistentvolumeclaims": {&corev1.PersistentVolumeClaim{}, &corev1.PersistentVolumeClaimList{}},
	"services":               {&corev1.Service{}, &corev1.ServiceList{}},
	"replicationcontrollers": {&corev1.ReplicationController{}, &corev1.ReplicationControllerList{}},
	"replicasets":            {&appsv1.ReplicaSet{}, &appsv1.ReplicaSetList{}},
	"statefulsets":           {&appsv1.StatefulSet{}, &appsv1.StatefulSetList{}},
	"storageclasses":         {&storagev1.StorageClass{}, &storagev1.StorageClassList{}},
	"csinodes":               {&storagev1.CSINode{}, &storagev1.CSINodeList{}},
	"csidrivers":             {&storagev1.CSIDriver{}, &storagev1.CSIDriverList{}},
	"csistoragecapacities":   {&storagev1.CSIStorageCapacity{}, &storagev1.CSIStorageCapacityList{}},
	"volumeattachments":      {&storagev1.VolumeAttachment{}, &storagev1.VolumeAttachmentList{}},
	"poddisruptionbudgets":   {&policyv1.PodDisruptionBudget{}, &policyv1.PodDisruptionBudgetList{}},
	"resourceclaims":         {&resourcev1.ResourceClaim{}, &resourcev1.ResourceClaimList{}},
	"resourceslices":         {&resourcev1.ResourceSlice{}, &resourcev1.ResourceSliceList{}},
	"deviceclasses":          {&resourcev1.DeviceClass{}, &resourcev1.DeviceClassList{}},
	"devicetaintrules":       {&resourcev1.DeviceTaintRule{}, &resourcev1.DeviceTaintRuleList{}},
}

// Resources are the resources that a Scheduler wants listed and watched, by name:
// the ones that Forbid takes.
func Resources() []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Forbid says that resource (plural, as RBAC names it) cannot be listed, and why
// ("not allowed to list csinodes"). It gives factory an empty informer for it
// that counts as synced at once, so it has to come before anything asks factory
// for the real one. What a plugin then reads from it leaves that plugin's answer
// open. A resource that no plugin reads is an error.
func (t *Unreadable) Forbid(factory informers.SharedInformerFactory, resource, why string) error {
	kind, ok := kinds[resource]
	if !ok {
		return fmt.Errorf("forbid %s: no plugin reads it", resource)
	}
	var stand *tracedInformer
	got := factory.InformerFor(kind.object, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		informer := cache.NewSharedIndexInformer(empty(kind.list), kind.object, 0,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		stand = &tracedInformer{informer, &tracedIndexer{informer.GetIndexer(), func() { t.touch(resource) }}}
		return stand
	})
	if stand == nil || got != cache.SharedIndexInformer(stand) {
		return fmt.Errorf("forbid %s: the factory has an informer for it already", resource)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forbidden[resource] = why
	return nil
}

// Forbidden tells why each forbidden resource could not be listed.
func (t *Unreadable) Forbidden() map[string]string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.forbidden)
}

// touch notes a read of resource, if that is forbidden.
func (t *Unreadable) touch(resource string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, forbidden := t.forbidden[resource]; forbidden {
		t.read[resource] = true
	}
}

// reset forgets what was read.
func (t *Unreadable) reset() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.read)
}

// reads are the forbidden resources that were read since the last reset.
func (t *Unreadable) reads() []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var resources []string
	for resource := range t.read {
		resources = append(resources, resource)
	}
	return resources
}

// emptyListWatch lists nothing and watches nothing.
type emptyListWatch struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported makes the reflector list, which is over at once.
func (emptyListWatch) IsWatchListSemanticsUnSupported() bool { return true }

// empty is a ListWatch of no objects.
func empty(list runtime.Object) cache.ListerWatcher {
	return emptyListWatch{&cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			fresh := reflect.New(reflect.TypeOf(list).Elem()).Interface().(runtime.Object)
			fresh.(metav1.ListMetaAccessor).GetListMeta().SetResourceVersion("1")
			return fresh, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			return watch.NewFake(), nil // says nothing until it is stopped
		},
	}}
}

// tracedInformer is an informer whose lister's reads are noted.
type tracedInformer struct {
	cache.SharedIndexInformer
	indexer cache.Indexer
}

func (i *tracedInformer) GetIndexer() cache.Indexer { return i.indexer }
func (i *tracedInformer) GetStore() cache.Store     { return i.indexer }

// tracedIndexer calls read before each lookup.
type tracedIndexer struct {
	cache.Indexer
	read func()
}

func (i *tracedIndexer) List() []any {
	i.read()
	return i.Indexer.List()
}

func (i *tracedIndexer) Get(obj any) (any, bool, error) {
	i.read()
	return i.Indexer.Get(obj)
}

func (i *tracedIndexer) GetByKey(key string) (any, bool, error) {
	i.read()
	return i.Indexer.GetByKey(key)
}

func (i *tracedIndexer) Index(name string, obj any) ([]any, error) {
	i.read()
	return i.Indexer.Index(name, obj)
}

func (i *tracedIndexer) ByIndex(name, value string) ([]any, error) {
	i.read()
	return i.Indexer.ByIndex(name, value)
}
