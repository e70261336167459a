package explain

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// disruptions is what evictions one after the other leave of budgets, by the
// rules of the eviction subresource (pkg/registry/core/pod/storage/eviction.go).
type disruptions struct {
	engine *Engine
	taken  map[*policyv1.PodDisruptionBudget]int32
}

func (e *Engine) newDisruptions() *disruptions {
	return &disruptions{engine: e, taken: map[*policyv1.PodDisruptionBudget]int32{}}
}

// evict says whether budgets let the pod be evicted after those before it.
func (d *disruptions) evict(pod *corev1.Pod) plan.Budget {
	if ended(pod) || pod.Status.Phase == corev1.PodPending || pod.DeletionTimestamp != nil {
		return plan.Budget{Allows: plan.BudgetAllows} // budgets are not asked about such pods
	}
	if why, unread := d.engine.forbidden["poddisruptionbudgets"]; unread {
		return plan.Budget{Allows: plan.BudgetUnread, Why: why}
	}
	budgets, err := d.engine.budgetsOf(pod)
	switch {
	case err != nil:
		return plan.Budget{Allows: plan.BudgetUnread, Why: err.Error()}
	case len(budgets) == 0:
		return plan.Budget{Allows: plan.BudgetAllows}
	case len(budgets) > 1:
		return plan.Budget{Allows: plan.BudgetNever, Name: budgets[0].Name, Why: grammar.Plural(len(budgets), "PodDisruptionBudget") + " select it"}
	}
	return d.take(budgets[0], pod)
}

// take asks the one budget of a pod.
func (d *disruptions) take(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) plan.Budget {
	status := budget.Status
	told := plan.Budget{Allows: plan.BudgetAllows, Name: budget.Name, Left: max(status.DisruptionsAllowed, 0)}
	switch left := status.DisruptionsAllowed - d.taken[budget]; {
	case !podutil.IsPodReady(pod) && permits(withoutDisruptions(budget), pod):
		return told // it takes nothing from the budget
	case status.ObservedGeneration < budget.Generation:
		told.Allows, told.Why = plan.BudgetWaits, "it was changed and is not counted yet"
	case left > 0:
		d.taken[budget]++
	case status.ExpectedPods == 0:
		told.Allows, told.Why = plan.BudgetWaits, "it has not counted its pods yet"
	default:
		healthy := status.CurrentHealthy - d.taken[budget]
		told.Allows, told.Why = plan.BudgetWaits, fmt.Sprintf("%s, %d needed", grammar.Count(int(healthy), "healthy pod", "healthy pods"), status.DesiredHealthy)
	}
	return told
}

// withoutDisruptions is the budget as if it allowed none: what it permits then
// takes nothing from it.
func withoutDisruptions(budget *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	none := *budget
	none.Status.DisruptionsAllowed = 0
	return &none
}
