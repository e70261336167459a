package model

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// AllowsNone says of a PodDisruptionBudget that it allows no eviction until it is changed, even of healthy pods:
// "minAvailable 80% of 4 pods is 4: it allows no eviction even though all are healthy; with 5 replicas it allows 1".
// It begins with a field of the budget. pods are those that it selects, as far as they are known. It is "" where the
// budget allows one now, would once all pods are healthy, or where its status is not of its spec.
func AllowsNone(budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod) string {
	status := budget.Status
	if status.DisruptionsAllowed > 0 {
		return ""
	}
	if failed := SyncFailed(budget); failed != nil {
		return "status could not be calculated (SyncFailed: " + shortMessage(failed.Message) +
			"): it allows no eviction until the budget is changed, or the error is resolved"
	}
	if status.ObservedGeneration < budget.Generation {
		return ""
	}
	if unmanaged(budget, pods) {
		return scaledField(budget) + " needs pods that have a controller: it allows no eviction until minAvailable is set to an integer"
	}
	return needsAll(budget)
}

// SyncFailed is the condition of a budget whose status the disruption controller could not calculate: it leaves the
// rest of the status as it was, allows no disruption (failSafe in pkg/controller/disruption), and tries again. nil
// where it could.
func SyncFailed(budget *policyv1.PodDisruptionBudget) *metav1.Condition {
	allowed := meta.FindStatusCondition(budget.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if allowed == nil || allowed.Status != metav1.ConditionFalse || allowed.Reason != policyv1.SyncFailedReason {
		return nil
	}
	return allowed
}

// mostMessage is the most runes of a controller's message within a sentence.
const mostMessage = 120

// shortMessage is a message of the cluster within a sentence.
func shortMessage(message string) string {
	message = Clean(message)
	if runes := []rune(message); len(runes) > mostMessage {
		return string(runes[:mostMessage-1]) + "…"
	}
	return message
}

// unmanaged reports whether a budget counts none of the pods that it selects, because they have no controller of which
// its figure could be a part: then the disruption controller expects no pods, and allows no disruption
// (getExpectedScale and updatePdbStatus in pkg/controller/disruption).
func unmanaged(budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod) bool {
	return budget.Status.ExpectedPods == 0 && scaledField(budget) != "" && len(pods) > 0 &&
		!slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return metav1.GetControllerOfNoCopy(pod) != nil })
}

// scaledField is the figure of a budget that is a part of the replicas of controllers: "maxUnavailable 1"; "" where it
// is of the pods themselves.
func scaledField(budget *policyv1.PodDisruptionBudget) string {
	switch least, most := budget.Spec.MinAvailable, budget.Spec.MaxUnavailable; {
	case most != nil:
		return "maxUnavailable " + most.String()
	case least != nil && least.Type == intstr.String:
		return "minAvailable " + least.String()
	}
	return ""
}

// needsAll says of a budget that by its own figures all its pods have to be healthy; "" where not.
func needsAll(budget *policyv1.PodDisruptionBudget) string {
	status, expected := budget.Status, int(budget.Status.ExpectedPods)
	desired, ok := desiredHealthy(budget, expected)
	if !ok || expected <= 0 || desired != int(status.DesiredHealthy) || desired < expected {
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
