package model

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
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

// moreReplicas is up to how many more replicas AllowsNone looks for a number of which one may be evicted.
const moreReplicas = 10

// AllowsNone says of a PodDisruptionBudget that its own figures allow no eviction, even of healthy pods: "minAvailable
// 80% of 4 pods is 4: it allows no eviction even though all are healthy; with 5 replicas it allows 1". It is ""
// where it allows one now, would once all pods are healthy, or where its status is not of its spec.
func AllowsNone(budget *policyv1.PodDisruptionBudget) string {
	status, expected := budget.Status, int(budget.Status.ExpectedPods)
	desired, ok := desiredHealthy(budget, expected)
	if !ok || expected <= 0 || status.DisruptionsAllowed > 0 || status.ObservedGeneration < budget.Generation ||
		desired != int(status.DesiredHealthy) || desired < expected {
		return ""
	}
	if most := budget.Spec.MaxUnavailable; most != nil {
		return "maxUnavailable is " + most.String() + ": it never allows an eviction"
	}
	if status.CurrentHealthy < status.ExpectedPods {
		return ""
	}
	least, pods, healthy := budget.Spec.MinAvailable, fmt.Sprintf("%d pods", expected), "all are"
	if expected == 1 {
		pods, healthy = "1 pod", "it is"
	}
	words := fmt.Sprintf("minAvailable %s of %s", least.String(), pods)
	if least.Type == intstr.String {
		words += fmt.Sprintf(" is %d", desired)
	}
	words += ": it allows no eviction even though " + healthy + " healthy"
	for replicas := expected + 1; replicas <= expected+moreReplicas; replicas++ {
		if desired, ok := desiredHealthy(budget, replicas); ok && desired < replicas {
			return words + fmt.Sprintf("; with %d replicas it allows %d", replicas, replicas-desired)
		}
	}
	return words
}

// desiredHealthy is how many of so many pods a budget needs healthy, as its controller calculates it
// (getExpectedPodCount in pkg/controller/disruption): percentages are rounded up. It is not ok where
// the budget has no such figure.
func desiredHealthy(budget *policyv1.PodDisruptionBudget, pods int) (desired int, ok bool) {
	least, most := budget.Spec.MinAvailable, budget.Spec.MaxUnavailable
	switch {
	case most != nil:
		unavailable, err := intstr.GetScaledValueFromIntOrPercent(most, pods, true)
		return max(pods-unavailable, 0), err == nil
	case least != nil:
		desired, err := intstr.GetScaledValueFromIntOrPercent(least, pods, true)
		return desired, err == nil
	}
	return 0, false
}
