package inventory

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Figure is one resource of a node, in the unit that the scheduler counts it in.
type Figure struct {
	Name        corev1.ResourceName
	Capacity    int64 // what the machine has; 0 where the node does not say
	Allocatable int64
	Requested   int64 // by its pods
	Limits      int64 // of its pods; those without a limit count nothing, as in kubectl describe
}

// Reserved is what the kubelet keeps for the system: capacity − allocatable. Unknown
// where the node does not say its capacity.
func (f *Figure) Reserved() (amount int64, known bool) {
	return max(f.Capacity-f.Allocatable, 0), f.Capacity > 0
}

// Free is what no pod requests; never below 0.
func (f *Figure) Free() int64 { return max(f.Allocatable-f.Requested, 0) }

// withoutAny are the extended resources beside others that a node lists or pods request there, of
// which it has nothing.
func withoutAny(n *model.Node, others []corev1.ResourceName) []corev1.ResourceName {
	listed := slices.AppendSeq(slices.Collect(maps.Keys(n.Object.Status.Allocatable)), maps.Keys(n.Requested.Scalar))
	slices.Sort(listed)
	return slices.DeleteFunc(slices.Compact(listed), func(name corev1.ResourceName) bool {
		return !strings.Contains(string(name), "/") || slices.Contains(others, name) || !n.Lists(name)
	})
}

// hugePages are the sizes of huge pages that a node has, or that its pods request, by name.
func hugePages(n *model.Node, capacity model.Resources) []corev1.ResourceName {
	var names []corev1.ResourceName
	for _, r := range []model.Resources{capacity, n.Allocatable, n.Requested} {
		for name, amount := range r.Scalar {
			if amount > 0 && strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Figures are the resources that a node has: cpu, memory, storage, pods, then huge pages, then
// extended ones with GPUs first.
func Figures(n *model.Node) []Figure {
	capacity := model.NewResources(n.Object.Status.Capacity)
	whole := model.Capacity{Allocatable: n.Allocatable}
	names := slices.Concat(plain, hugePages(n, capacity), whole.Extended())
	names = append(names, withoutAny(n, names)...)
	figures := make([]Figure, 0, len(names))
	for _, name := range names {
		f := Figure{
			Name: name, Capacity: capacity.Of(name), Allocatable: n.Allocatable.Of(name),
			Requested: n.Requested.Of(name), Limits: n.Limits.Of(name),
		}
		if name == corev1.ResourceEphemeralStorage && f.Capacity == 0 && f.Allocatable == 0 {
			continue // it does not report its disk
		}
		figures = append(figures, f)
	}
	return figures
}
