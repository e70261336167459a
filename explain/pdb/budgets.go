// Package pdb says what PodDisruptionBudgets let be evicted, by the rules of the
// eviction subresource.
package pdb

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	policylisters "k8s.io/client-go/listers/policy/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Budgets are the PodDisruptionBudgets, and what they let be evicted.
type Budgets struct {
	// Lister lists them.
	Lister policylisters.PodDisruptionBudgetLister
	// Unread says why they could not be read; "" if they could.
	Unread string
	// Pods are all pods of the cluster: which of them a budget selects may decide whether it ever allows an eviction.
	Pods map[types.UID]*corev1.Pod
}

// Rejects says whether kube-apiserver would reject an eviction of the pod
// now, or whether that is unknown, by the rules of the eviction subresource
// (pkg/registry/core/pod/storage/eviction.go).
func (b *Budgets) Rejects(pod *corev1.Pod, told *report.Eviction) bool {
	if scheduler.Terminal(pod) || pod.Status.Phase == corev1.PodPending || pod.DeletionTimestamp != nil {
		return false // budgets are not asked about such pods
	}
	if b.Unread != "" {
		told.Short, told.Unread = "not evaluated: PDBs unread", b.Unread
		told.Sentence = fmt.Sprintf("Whether %s may be evicted is unknown: %s.", plugins.FullName(pod), b.Unread)
		return true
	}
	budgets, err := b.Of(pod)
	switch {
	case err != nil:
		told.Unread = err.Error()
		told.Short, told.Sentence = "not evaluated: PDBs unread", fmt.Sprintf("Whether %s may be evicted is unknown: %s.", plugins.FullName(pod), err)
		return true
	case len(budgets) == 0 || len(budgets) == 1 && model.Permits(budgets[0], pod):
		return false
	case len(budgets) > 1:
		told.Short = fmt.Sprintf("blocked: %d PDBs select it", len(budgets))
		told.Sentence = fmt.Sprintf("%d PodDisruptionBudgets select %s: kube-apiserver rejects its eviction.", len(budgets), plugins.FullName(pod))
	case model.SyncFailed(budgets[0]) == nil && budgets[0].Status.ObservedGeneration < budgets[0].Generation:
		told.Short = fmt.Sprintf("blocked: PDB %s status outdated", budgets[0].Name)
		told.Sentence = fmt.Sprintf("PodDisruptionBudget %s/%s was changed and its status is not updated yet: the eviction of %s would be rejected now.",
			budgets[0].Namespace, budgets[0].Name, plugins.FullName(pod))
	default:
		budget := budgets[0]
		told.Short = fmt.Sprintf("PDB %s allows none", budget.Name)
		told.Sentence = fmt.Sprintf("PodDisruptionBudget %s/%s allows %d disruptions now: the eviction of %s would be rejected.",
			budget.Namespace, budget.Name, budget.Status.DisruptionsAllowed, plugins.FullName(pod))
		if never := b.allowsNone(budget); never != "" {
			told.Sentence += " Its " + never + "."
		}
	}
	told.Fits = new(false)
	return true
}

// allowsNone says why the budget allows no eviction until it is changed; "" where it may.
func (b *Budgets) allowsNone(budget *policyv1.PodDisruptionBudget) string {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	if err != nil || budget.Status.ExpectedPods > 0 {
		return model.AllowsNone(budget, nil)
	}
	var selected []*corev1.Pod
	for _, pod := range b.Pods {
		if pod.Namespace == budget.Namespace && !scheduler.Terminal(pod) && selector.Matches(labels.Set(pod.Labels)) {
			selected = append(selected, pod)
		}
	}
	return model.AllowsNone(budget, selected)
}

// Of are the budgets that select the pod, by name.
func (b *Budgets) Of(pod *corev1.Pod) ([]*policyv1.PodDisruptionBudget, error) {
	all, err := b.Lister.PodDisruptionBudgets(pod.Namespace).List(labels.Everything())
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
