package plane

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// collectGarbage deletes what a workload that was deleted leaves behind, as the
// garbage collector does in the background.
func (p *Plane) collectGarbage(ctx context.Context) {
	gone := make(chan types.UID, 1024)
	handler := cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		if owner, err := meta.Accessor(object); err == nil {
			select {
			case gone <- owner.GetUID():
			case <-ctx.Done():
			}
		}
	}}
	apps := p.informers.Apps().V1()
	for _, informer := range []cache.SharedIndexInformer{
		apps.Deployments().Informer(), apps.ReplicaSets().Informer(), apps.StatefulSets().Informer(),
		apps.DaemonSets().Informer(), p.informers.Batch().V1().Jobs().Informer(),
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return // it has stopped
		}
	}
	for {
		select {
		case uid := <-gone:
			p.deleteDependents(ctx, uid)
		case <-ctx.Done():
			return
		}
	}
}

// deleteDependents deletes what the owner of that UID owned. What is gone
// already, or held by a finalizer, is left to its way.
func (p *Plane) deleteDependents(ctx context.Context, owner types.UID) {
	background := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}
	for _, object := range p.informers.Core().V1().Pods().Informer().GetStore().List() {
		if pod, ok := object.(*corev1.Pod); ok && ownedBy(pod, owner) {
			_ = p.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, background)
		}
	}
	for _, object := range p.informers.Apps().V1().ReplicaSets().Informer().GetStore().List() {
		if set, ok := object.(*appsv1.ReplicaSet); ok && ownedBy(set, owner) {
			_ = p.client.AppsV1().ReplicaSets(set.Namespace).Delete(ctx, set.Name, background)
		}
	}
}

func ownedBy(object metav1.Object, owner types.UID) bool {
	controller := metav1.GetControllerOfNoCopy(object)
	return controller != nil && controller.UID == owner
}
