package controlplane

import (
	"context"
	"errors"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
)

// garbage deletes the dependents of deleted workloads, as the garbage collector does in
// the background.
type garbage struct {
	*Plane
	queue workqueue.TypedRateLimitingInterface[types.UID] // deleted owners

	mu   sync.Mutex
	gone map[types.UID]bool // all deleted owners, for dependents that are seen later
}

// Backoff of a failed deletion.
const (
	garbageWait = 50 * time.Millisecond
	garbageMost = 5 * time.Second
)

// watchGarbage starts to record deleted owners.
func (p *Plane) watchGarbage() error {
	g := &garbage{Plane: p, gone: map[types.UID]bool{}, queue: workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[types.UID](garbageWait, garbageMost))}
	p.garbage = g
	apps, core := p.informers.Apps().V1(), p.informers.Core().V1()
	replicaSets := apps.ReplicaSets().Informer()
	var errs []error
	for _, owners := range []cache.SharedIndexInformer{
		apps.Deployments().Informer(), replicaSets, apps.StatefulSets().Informer(), apps.DaemonSets().Informer(), p.informers.Batch().V1().Jobs().Informer(),
	} {
		_, err := owners.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: g.note})
		errs = append(errs, err)
	}
	for _, dependents := range []cache.SharedIndexInformer{replicaSets, core.Pods().Informer()} {
		_, err := dependents.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: g.orphaned})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// note records a deleted owner.
func (g *garbage) note(object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	owner, err := meta.Accessor(object)
	if err != nil {
		return // it cannot be an owner
	}
	g.mu.Lock()
	g.gone[owner.GetUID()] = true
	g.mu.Unlock()
	g.queue.Add(owner.GetUID())
}

// orphaned checks whether the owner of a new object is deleted already.
func (g *garbage) orphaned(object any) {
	dependent, err := meta.Accessor(object)
	if err != nil {
		return // it has no owner
	}
	owner := metav1.GetControllerOfNoCopy(dependent)
	if owner == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone[owner.UID] {
		g.queue.Add(owner.UID)
	}
}

// collect runs until ctx ends.
func (g *garbage) collect(ctx context.Context) {
	context.AfterFunc(ctx, g.queue.ShutDown)
	for {
		owner, ended := g.queue.Get()
		if ended {
			return
		}
		if g.deleteDependents(ctx, owner) == nil {
			g.queue.Forget(owner)
		} else {
			g.queue.AddRateLimited(owner)
		}
		g.queue.Done(owner)
	}
}

// deleteDependents deletes the dependents of the owner with that UID.
func (g *garbage) deleteDependents(ctx context.Context, owner types.UID) error {
	var errs []error
	for _, object := range g.informers.Core().V1().Pods().Informer().GetStore().List() {
		if pod, ok := object.(*corev1.Pod); ok && ownedBy(pod, owner) {
			errs = append(errs, g.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, inBackground(pod.UID)))
		}
	}
	for _, object := range g.informers.Apps().V1().ReplicaSets().Informer().GetStore().List() {
		if set, ok := object.(*appsv1.ReplicaSet); ok && ownedBy(set, owner) {
			errs = append(errs, g.client.AppsV1().ReplicaSets(set.Namespace).Delete(ctx, set.Name, inBackground(set.UID)))
		}
	}
	for i, err := range errs {
		if apierrors.IsNotFound(err) {
			errs[i] = nil // deleted already
		}
	}
	return errors.Join(errs...)
}

// inBackground deletes only the object with that UID, not another one with its name.
func inBackground(uid types.UID) metav1.DeleteOptions {
	return metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground), Preconditions: metav1.NewUIDPreconditions(string(uid))}
}

func ownedBy(object metav1.Object, owner types.UID) bool {
	controller := metav1.GetControllerOfNoCopy(object)
	return controller != nil && controller.UID == owner
}
