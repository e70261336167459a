package inventory

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Budget is a PodDisruptionBudget, and what it blocks now.
type Budget struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Allowed is how many pods may be evicted now, Healthy and Desired how many are
	// and have to be ready, and Expected how many pods it counts, all of its status.
	Allowed  int32 `json:"allowed"`
	Healthy  int32 `json:"healthy"`
	Desired  int32 `json:"desired"`
	Expected int32 `json:"expected"`
	// Outdated says that the status is of an older generation: until the controller
	// updates it, each eviction is rejected.
	Outdated bool `json:"outdated"`
	// Nodes are those whose drain it blocks now, by name: they run a pod that it
	// selects and whose eviction would be rejected. Pods that a drain leaves do not count.
	Nodes []string `json:"nodes"`
	// Shared are pods that another budget selects too, by name. The eviction
	// subresource rejects the eviction of each.
	Shared []string `json:"shared"`
	// SharedWith are the other budgets of the namespace that select pods of Shared, by name. The disruption
	// controller brings the status of only one of a pod's budgets up to date when the pod changes
	// (getPdbForPod in pkg/controller/disruption).
	SharedWith []string `json:"sharedWith,omitempty"`
	// SelectsNone says that it selects no pod that has not ended, so that it protects nothing.
	SelectsNone bool `json:"selectsNone,omitempty"`
	// AllowsNone says why it allows no eviction until it is changed, even of healthy pods; "" where it
	// does, or may once all its pods are healthy.
	AllowsNone string `json:"allowsNone,omitempty"`

	Object *policyv1.PodDisruptionBudget `json:"-"`
}

// Unprotected is a workload of several pods that no budget selects.
type Unprotected struct {
	Namespace string
	Owner     model.Owner
	Pods      int
}

// Budgets are the PodDisruptionBudgets, those that block something first, and the
// workloads of more than one pod that none selects, by namespace and name.
func Budgets(s *model.Snapshot, objects []*policyv1.PodDisruptionBudget) (budgets []Budget, without []Unprotected) {
	of, selected, none := coverage(s, objects)
	for i, budget := range objects {
		b := Budget{
			Namespace: budget.Namespace, Name: budget.Name,
			Allowed: budget.Status.DisruptionsAllowed, Healthy: budget.Status.CurrentHealthy,
			Desired: budget.Status.DesiredHealthy, Expected: budget.Status.ExpectedPods,
			Outdated: budget.Status.ObservedGeneration < budget.Generation,
			Nodes:    []string{}, Shared: []string{}, SelectsNone: none[i] && s.PodsUnknown() == "",
			Object: budget,
		}
		nodes, selects := map[string]bool{}, make([]*corev1.Pod, 0, len(of[i]))
		for _, pod := range of[i] {
			selects = append(selects, pod.Object)
			if pod.Object.Status.Phase == corev1.PodPending {
				continue // its eviction asks no budget
			}
			several := len(selected[pod]) > 1
			if several {
				b.Shared = append(b.Shared, pod.Object.Name)
				for _, other := range selected[pod] {
					if name := objects[other].Name; other != i && !slices.Contains(b.SharedWith, name) {
						b.SharedWith = append(b.SharedWith, name)
					}
				}
			}
			if pod.Object.Spec.NodeName != "" && !runsEverywhere(pod) && (several || !model.Permits(budget, pod.Object)) {
				nodes[pod.Object.Spec.NodeName] = true
			}
		}
		slices.Sort(b.SharedWith)
		if s.PodsUnknown() != "" {
			selects = nil
		}
		b.AllowsNone = model.AllowsNone(budget, selects)
		b.Nodes = append(b.Nodes, slices.Sorted(maps.Keys(nodes))...)
		budgets = append(budgets, b)
	}
	slices.SortFunc(budgets, func(a, b Budget) int {
		return cmp.Or(cmp.Compare(len(b.Nodes), len(a.Nodes)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return budgets, unprotected(s, selected)
}

// coverage are the pods that each budget selects, and the budgets that select each pod, by their place.
// Pods that are terminating or have finished are left out. none says which budgets select no pod,
// not even one that is terminating.
func coverage(s *model.Snapshot, objects []*policyv1.PodDisruptionBudget) (of [][]*model.Pod, selected map[*model.Pod][]int, none []bool) {
	of, selected, none = make([][]*model.Pod, len(objects)), map[*model.Pod][]int{}, make([]bool, len(objects))
	byNamespace := map[string][]int{}
	selectors := make([]labels.Selector, len(objects))
	for i, budget := range objects {
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil {
			continue // kube-apiserver takes none such
		}
		selectors[i], none[i] = selector, true
		byNamespace[budget.Namespace] = append(byNamespace[budget.Namespace], i)
	}
	for _, pod := range s.Pods {
		if pod.Finished() {
			continue
		}
		for _, i := range byNamespace[pod.Object.Namespace] {
			if !selectors[i].Matches(labels.Set(pod.Object.Labels)) {
				continue
			}
			none[i] = false
			if pod.Object.DeletionTimestamp == nil {
				of[i] = append(of[i], pod)
				selected[pod] = append(selected[pod], i)
			}
		}
	}
	return of, selected, none
}

// unprotected are the workloads of several pods of which no budget selects one. A
// DaemonSet's pods are no replicas of each other, and a Job's end.
func unprotected(s *model.Snapshot, selected map[*model.Pod][]int) []Unprotected {
	type key struct {
		namespace string
		owner     model.Owner
	}
	pods, covered := map[key]int{}, map[key]bool{}
	for _, pod := range s.Pods {
		if pod.Finished() || pod.Owner.Name == "" || slices.Contains([]string{"DaemonSet", "Job", "CronJob", "Node"}, pod.Owner.Kind) {
			continue
		}
		k := key{pod.Object.Namespace, model.Owner{Kind: pod.Owner.Kind, Name: pod.Owner.Name}}
		pods[k]++
		covered[k] = covered[k] || len(selected[pod]) > 0
	}
	var without []Unprotected
	for k, count := range pods {
		if count > 1 && !covered[k] {
			without = append(without, Unprotected{k.namespace, k.owner, count})
		}
	}
	slices.SortFunc(without, func(a, b Unprotected) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Owner.Name, b.Owner.Name), strings.Compare(a.Owner.Kind, b.Owner.Kind))
	})
	return without
}
