package demo

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// Lists are the objects of the cluster by resource, as kubectl get -o json shows
// them.
func (c *Cluster) Lists() (map[string][]any, error) {
	core, apps := c.plane.Informers().Core().V1(), c.plane.Informers().Apps().V1()
	lists := map[string][]any{}
	for name, informer := range map[string]cache.SharedIndexInformer{
		"pods": core.Pods().Informer(), "nodes": core.Nodes().Informer(), "persistentvolumeclaims": core.PersistentVolumeClaims().Informer(),
		"resourcequotas": core.ResourceQuotas().Informer(),
		"deployments":    apps.Deployments().Informer(), "statefulsets": apps.StatefulSets().Informer(), "daemonsets": apps.DaemonSets().Informer(),
		"jobs":                 c.plane.Informers().Batch().V1().Jobs().Informer(),
		"poddisruptionbudgets": c.plane.Informers().Policy().V1().PodDisruptionBudgets().Informer(),
	} {
		lists[name] = []any{}
		for _, object := range informer.GetStore().List() {
			fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				return nil, err
			}
			lists[name] = append(lists[name], fields)
		}
	}
	return lists, nil
}

// deletedPods records the pods that were deleted.
type deletedPods struct {
	mu   sync.Mutex
	list []any
}

// note is called for each deleted pod.
func (e *deletedPods) note(object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return
	}
	how := ""
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			how = condition.Reason // EvictionByEvictionAPI, PreemptionByScheduler, DeletionByTaintManager
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, map[string]any{
		"namespace": pod.Namespace, "name": pod.Name, "app": pod.Labels["app"], "node": pod.Spec.NodeName,
		"phase": string(pod.Status.Phase), "how": how,
	})
}

// Ended are the pods that were deleted since the cluster started: namespace, name, app
// (their label), node, phase and how (the reason of their DisruptionTarget condition).
func (c *Cluster) Ended() []any {
	c.ended.mu.Lock()
	defer c.ended.mu.Unlock()
	return slices.Clone(c.ended.list)
}
