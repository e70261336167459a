package api

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// evict deletes a pod if its PodDisruptionBudget allows it, by the rules of the
// eviction subresource (pkg/registry/core/pod/storage/eviction.go).
func (s *Store) evict(q query, eviction *policyv1.Eviction) error {
	object, ok := s.storage.object(q.kind, q.name)
	if !ok {
		return q.notFound()
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return apierrors.NewBadRequest("only pods are evicted")
	}
	options := metav1.DeleteOptions{}
	if eviction.DeleteOptions != nil {
		options = *eviction.DeleteOptions
		q.dry = q.dry || slices.Contains(options.DryRun, metav1.DryRunAll)
	}
	if !ignoresBudgets(pod) {
		if err := s.spend(q, pod); err != nil {
			return err
		}
	}
	if !q.dry {
		if err := s.target(q); err != nil {
			return err
		}
	}
	_, err := s.delete(q, options)
	return err
}

// ignoresBudgets says whether evicting the pod is no disruption.
func ignoresBudgets(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed ||
		pod.Status.Phase == corev1.PodPending || pod.DeletionTimestamp != nil
}

// spend uses one allowed disruption of the budget of the pod, or returns why there is none.
func (s *Store) spend(q query, pod *corev1.Pod) error {
	budgets := s.budgetsOf(pod)
	switch {
	case len(budgets) == 0:
		return nil
	case len(budgets) > 1:
		return apierrors.NewInternalError(fmt.Errorf("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")) //nolint:staticcheck,revive // kube-apiserver's own sentence
	case spares(budgets[0], pod):
		return nil
	}
	budget := query{kind: s.kinds[policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")], subresource: "status", dry: q.dry}
	budget.name = types.NamespacedName{Namespace: budgets[0].Namespace, Name: budgets[0].Name}
	_, err := s.update(budget, func(old runtime.Object) (runtime.Object, error) {
		b, ok := old.(*policyv1.PodDisruptionBudget)
		if !ok {
			return nil, budget.notFound()
		}
		if err := rejection(b); err != nil {
			return nil, err
		}
		b.Status.DisruptionsAllowed--
		if b.Status.DisruptedPods == nil {
			b.Status.DisruptedPods = map[string]metav1.Time{}
		}
		b.Status.DisruptedPods[pod.Name] = s.now()
		return b, nil
	})
	return err
}

// spares says whether the budget allows evicting a pod that is not ready without using a
// disruption.
func spares(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	status, policy := budget.Status, budget.Spec.UnhealthyPodEvictionPolicy
	return !podutil.IsPodReady(pod) && (policy != nil && *policy == policyv1.AlwaysAllow ||
		status.CurrentHealthy >= status.DesiredHealthy && status.DesiredHealthy > 0)
}

// rejection is why the budget allows no disruption now; nil if it does.
func rejection(budget *policyv1.PodDisruptionBudget) error {
	status := budget.Status
	switch {
	case status.ObservedGeneration < budget.Generation:
		return tooMany(fmt.Sprintf("The disruption budget %s is still being processed by the server.", budget.Name), 10)
	case status.DisruptionsAllowed > 0:
		return nil
	}
	words := fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", budget.Name)
	failed := meta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
	switch {
	case failed != nil && failed.Status == metav1.ConditionFalse && failed.Message != "" && failed.Reason == policyv1.SyncFailedReason:
		words = fmt.Sprintf("%s because it failed sync: %s", words, failed.Message)
	case status.CurrentHealthy <= status.DesiredHealthy:
		words = fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", budget.Name, status.DesiredHealthy, status.CurrentHealthy)
	}
	return tooMany(words, 0)
}

// tooMany is the error of an eviction that a budget rejects.
func tooMany(cause string, seconds int) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", seconds)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: policyv1.DisruptionBudgetCause, Message: cause}}
	return err
}

// target sets the condition DisruptionTarget of an evicted pod.
func (s *Store) target(q query) error {
	q.subresource = "status"
	_, err := s.update(q, func(old runtime.Object) (runtime.Object, error) {
		pod, ok := old.(*corev1.Pod)
		if !ok {
			return nil, q.notFound()
		}
		podutil.UpdatePodCondition(&pod.Status, &corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting",
		})
		return pod, nil
	})
	return err
}

// budgetsOf are the budgets that select the pod.
func (s *Store) budgetsOf(pod *corev1.Pod) []*policyv1.PodDisruptionBudget {
	all, _ := s.storage.selected(s.kinds[policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")], selection{namespace: pod.Namespace})
	var found []*policyv1.PodDisruptionBudget
	for _, object := range all {
		budget, ok := object.(*policyv1.PodDisruptionBudget)
		if !ok {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err == nil && selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, budget)
		}
	}
	return found
}
