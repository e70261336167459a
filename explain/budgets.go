package explain

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// refusesEviction tells whether kube-apiserver would refuse to evict the pod now,
// or whether that is not known, by the rules of the eviction subresource
// (pkg/registry/core/pod/storage/eviction.go).
func (e *Engine) refusesEviction(pod *corev1.Pod, told *report.Eviction) bool {
	if ended(pod) || pod.Status.Phase == corev1.PodPending || pod.DeletionTimestamp != nil {
		return false // budgets are not asked about such pods
	}
	if why, unread := e.forbidden["poddisruptionbudgets"]; unread {
		told.Short = "not evaluated: PDBs unread"
		told.Sentence = fmt.Sprintf("Whether %s may be evicted is unknown: %s.", plugins.FullName(pod), why)
		return true
	}
	budgets, err := e.budgetsOf(pod)
	switch {
	case err != nil:
		told.Short, told.Sentence = "not evaluated: PDBs unread", fmt.Sprintf("Whether %s may be evicted is unknown: %s.", plugins.FullName(pod), err)
		return true
	case len(budgets) == 0 || len(budgets) == 1 && permits(budgets[0], pod):
		return false
	case len(budgets) > 1:
		told.Short = fmt.Sprintf("refused: %d PDBs select it", len(budgets))
		told.Sentence = fmt.Sprintf("kube-apiserver evicts no pod that %d PodDisruptionBudgets select: %s.", len(budgets), plugins.FullName(pod))
	case budgets[0].Status.ObservedGeneration < budgets[0].Generation:
		told.Short = fmt.Sprintf("refused: PDB %s not counted yet", budgets[0].Name)
		told.Sentence = fmt.Sprintf("PodDisruptionBudget %s/%s was changed and is not counted yet: %s would not be evicted now.",
			budgets[0].Namespace, budgets[0].Name, plugins.FullName(pod))
	default:
		budget := budgets[0]
		told.Short = fmt.Sprintf("refused: PDB %s allows %d", budget.Name, budget.Status.DisruptionsAllowed)
		told.Sentence = fmt.Sprintf("PodDisruptionBudget %s/%s allows %d disruptions now: %s would not be evicted.",
			budget.Namespace, budget.Name, budget.Status.DisruptionsAllowed, plugins.FullName(pod))
	}
	told.Fits = new(false)
	return true
}

// budgetsOf are the budgets that select the pod, by name.
func (e *Engine) budgetsOf(pod *corev1.Pod) ([]*policyv1.PodDisruptionBudget, error) {
	all, err := e.budgets.PodDisruptionBudgets(pod.Namespace).List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("list poddisruptionbudgets: %w", err)
	}
	var found []*policyv1.PodDisruptionBudget
	for _, budget := range all {
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err == nil && selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, budget)
		}
	}
	slices.SortFunc(found, func(a, b *policyv1.PodDisruptionBudget) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// permits says whether the one budget of a pod lets it be evicted. A pod that is
// not ready takes nothing from a budget that is met, or that always allows it.
func permits(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	status, policy := budget.Status, budget.Spec.UnhealthyPodEvictionPolicy
	if !podutil.IsPodReady(pod) {
		if policy != nil && *policy == policyv1.AlwaysAllow || status.CurrentHealthy >= status.DesiredHealthy && status.DesiredHealthy > 0 {
			return true
		}
	}
	return status.DisruptionsAllowed > 0 && status.ObservedGeneration >= budget.Generation
}
