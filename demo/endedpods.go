package demo

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

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
