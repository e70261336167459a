package pdb

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	policylisters "k8s.io/client-go/listers/policy/v1"
	"k8s.io/client-go/tools/cache"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Disruptions is what evictions one after the other leave of budgets, by the
// rules of the eviction subresource (pkg/registry/core/pod/storage/eviction.go).
type Disruptions struct {
	budgets *Budgets
	taken   map[*policyv1.PodDisruptionBudget]int32
}

// Disruptions are what no eviction has taken anything of.
func (b *Budgets) Disruptions() *Disruptions {
	return &Disruptions{budgets: b, taken: map[*policyv1.PodDisruptionBudget]int32{}}
}

// Evict says whether budgets let the pod be evicted after those before it.
func (d *Disruptions) Evict(pod *corev1.Pod) plan.Budget {
	if scheduler.Terminal(pod) || pod.Status.Phase == corev1.PodPending || pod.DeletionTimestamp != nil {
		return plan.Budget{Allows: plan.BudgetAllows} // budgets are not asked about such pods
	}
	if d.budgets.Unread != "" {
		return plan.Budget{Allows: plan.BudgetUnread, Why: d.budgets.Unread}
	}
	budgets, err := d.budgets.Of(pod)
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
func (d *Disruptions) take(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) plan.Budget {
	status := budget.Status
	told := plan.Budget{Allows: plan.BudgetAllows, Name: budget.Name, Left: max(status.DisruptionsAllowed, 0)}
	outdated, left := status.ObservedGeneration < budget.Generation, status.DisruptionsAllowed-d.taken[budget]
	switch {
	case !podutil.IsPodReady(pod) && model.Permits(withoutDisruptions(budget), pod):
		return told // it takes nothing from the budget
	case !outdated && left > 0:
		d.taken[budget]++
		return told
	}
	told.Allows = plan.BudgetWaits
	never := d.budgets.allowsNone(budget)
	switch {
	case never != "":
		told.Why, told.UntilChanged = never, true
	case outdated:
		told.Why = "it was changed and its status is not updated yet"
	case status.ExpectedPods == 0:
		told.Why = "its status is not calculated yet"
	default:
		healthy := status.CurrentHealthy - d.taken[budget]
		told.Why = fmt.Sprintf("%s, %d needed", grammar.Count(int(healthy), "healthy pod", "healthy pods"), status.DesiredHealthy)
		told.UntilChanged = status.DesiredHealthy >= status.ExpectedPods
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

// Taken are the budgets from which the end of the pod takes a disruption: their controller counts
// a pod that is Ready as healthy until then.
func (b *Budgets) Taken(pod *corev1.Pod) []types.NamespacedName {
	if b.Unread != "" || scheduler.Terminal(pod) || pod.DeletionTimestamp != nil || !podutil.IsPodReady(pod) {
		return nil
	}
	budgets, err := b.Of(pod)
	if err != nil {
		return nil
	}
	var names []types.NamespacedName
	for _, budget := range budgets {
		names = append(names, types.NamespacedName{Namespace: budget.Namespace, Name: budget.Name})
	}
	return names
}

// After are the budgets as they are once so many more disruptions of each are taken.
func (b *Budgets) After(taken map[types.NamespacedName]int32) (*Budgets, error) {
	if len(taken) == 0 {
		return b, nil
	}
	all, err := b.Lister.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("list poddisruptionbudgets: %w", err)
	}
	left := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, budget := range all {
		if n := taken[types.NamespacedName{Namespace: budget.Namespace, Name: budget.Name}]; n > 0 {
			budget = budget.DeepCopy()
			budget.Status.DisruptionsAllowed = max(budget.Status.DisruptionsAllowed-n, 0)
		}
		if err := left.Add(budget); err != nil {
			return nil, fmt.Errorf("copy poddisruptionbudgets: %w", err)
		}
	}
	return &Budgets{Lister: policylisters.NewPodDisruptionBudgetLister(left), Unread: b.Unread, Pods: b.Pods}, nil
}
