package inventory

import (
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Amounts are amounts of resources. In JSON they are quantities as Kubernetes writes
// them, by resource; what is zero is left out.
type Amounts struct{ model.Resources }

// plain are the resources that have a field of their own.
var plain = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods}

// MarshalJSON implements json.Marshaler.
func (a Amounts) MarshalJSON() ([]byte, error) {
	amounts := map[string]string{}
	for _, name := range slices.Concat(plain, slices.Collect(maps.Keys(a.Scalar))) {
		if exact := a.Exact(name); !exact.IsZero() {
			amounts[string(name)] = exact.String()
		}
	}
	return json.Marshal(amounts)
}

// raise makes each amount at least that of another one; none is below zero.
func (a *Amounts) raise(to *model.Resources) {
	a.MilliCPU = max(a.MilliCPU, to.MilliCPU)
	a.Memory = max(a.Memory, to.Memory)
	a.EphemeralStorage = max(a.EphemeralStorage, to.EphemeralStorage)
	a.Pods = max(a.Pods, to.Pods)
	for name, amount := range to.Scalar {
		if amount <= a.Scalar[name] {
			continue
		}
		if a.Scalar == nil {
			a.Scalar = map[corev1.ResourceName]int64{}
		}
		a.Scalar[name] = amount
	}
}
