package model

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// Permits reports whether the only PodDisruptionBudget that selects a pod lets it be
// evicted now, by the rules of the eviction subresource
// (pkg/registry/core/pod/storage/eviction.go): a pod that is not ready takes nothing
// from a budget that is met, or that always allows it.
func Permits(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	status, policy := budget.Status, budget.Spec.UnhealthyPodEvictionPolicy
	if !isReady(pod) {
		if policy != nil && *policy == policyv1.AlwaysAllow || status.CurrentHealthy >= status.DesiredHealthy && status.DesiredHealthy > 0 {
			return true
		}
	}
	return status.DisruptionsAllowed > 0 && status.ObservedGeneration >= budget.Generation
}

// isReady reports whether a pod's condition Ready is True.
func isReady(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
