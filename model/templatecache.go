package model

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Templates remembers what was computed of pods whose amounts are counted from the very same
// objects in memory, as those of replicas are where a Source lets them share what is equal.
// The zero value is empty. What was not asked for in a while is forgotten.
type Templates[V any] struct {
	young, old map[template]V
	held       map[holdings]*holdings
}

// remembered is how many values are remembered at least, and half of how many at most.
const remembered = 1 << 12

// template is all that requests, limits and affinity terms of a pod come from. It holds
// what it points to, so an address is never that of something else.
type template struct {
	namespace         string
	containers, inits *corev1.Container
	counts            [2]int
	affinity          *corev1.Affinity
	whole             *corev1.ResourceRequirements // of the pod as a whole
	overhead          any                          // the address of the map

	containersHold, initsHold *holdings // of equal ones the same; nil where they hold nothing
	held                      *corev1.ResourceRequirements
	allocated                 any // the address of the map
	claims                    *corev1.NodeAllocatableResourceClaimStatus
	claimCount                int
	infeasible                bool // a resize in place
}

// holdings are what containers of a pod hold by its status, which restarts and states do not change.
type holdings struct {
	few [4]holding
	// Where more containers hold something, the statuses as a whole count.
	many  *corev1.ContainerStatus
	count int
}

type holding struct {
	container string
	resources *corev1.ResourceRequirements
	allocated any // the address of the map
}

// holdings are those of containers, of equal ones the same.
func (t *Templates[V]) holdings(statuses []corev1.ContainerStatus) *holdings {
	all := holdingsOf(statuses)
	if all == (holdings{}) {
		return nil
	}
	if same, ok := t.held[all]; ok {
		return same
	}
	if t.held == nil || len(t.held) >= remembered {
		t.held = map[holdings]*holdings{}
	}
	same := new(holdings) // all itself is not kept, so that most calls take no memory
	*same = all
	t.held[all] = same
	return same
}

func holdingsOf(statuses []corev1.ContainerStatus) (all holdings) {
	n := 0
	for i := range statuses {
		status := &statuses[i]
		switch {
		case status.Resources == nil && status.AllocatedResources == nil:
			continue
		case n == len(all.few):
			return holdings{many: first(statuses), count: len(statuses)}
		}
		all.few[n] = holding{status.Name, status.Resources, reflect.ValueOf(status.AllocatedResources).UnsafePointer()}
		n++
	}
	return all
}

// Of gives what was computed of a pod like this one, or computes it. No affinity but that
// of the same namespace is the same.
func (t *Templates[V]) Of(pod *corev1.Pod, compute func(*corev1.Pod) V) V {
	key := t.templateOf(pod)
	if known, ok := t.young[key]; ok {
		return known
	}
	value, ok := t.old[key]
	if !ok {
		value = compute(pod)
	}
	if t.young == nil || len(t.young) >= remembered {
		t.old, t.young = t.young, make(map[template]V)
	}
	t.young[key] = value
	return value
}

// Same reports whether Of gives the same for both pods, as it does for most changes of a pod.
func (t *Templates[V]) Same(a, b *corev1.Pod) bool { return t.templateOf(a) == t.templateOf(b) }

func (t *Templates[V]) templateOf(pod *corev1.Pod) template {
	spec, status := &pod.Spec, &pod.Status
	return template{
		namespace:  pod.Namespace,
		containers: first(spec.Containers),
		inits:      first(spec.InitContainers),
		counts:     [2]int{len(spec.Containers), len(spec.InitContainers)},
		affinity:   spec.Affinity,
		whole:      spec.Resources,
		overhead:   reflect.ValueOf(spec.Overhead).UnsafePointer(),

		containersHold: t.holdings(status.ContainerStatuses),
		initsHold:      t.holdings(status.InitContainerStatuses),

		held:       status.Resources,
		allocated:  reflect.ValueOf(status.AllocatedResources).UnsafePointer(),
		claims:     first(status.NodeAllocatableResourceClaimStatuses),
		claimCount: len(status.NodeAllocatableResourceClaimStatuses),
		infeasible: resourcehelper.IsPodResizeInfeasible(pod),
	}
}

// first is the address of a slice's first item; nil where it has none.
func first[T any](slice []T) *T {
	if len(slice) == 0 {
		return nil
	}
	return &slice[0]
}
