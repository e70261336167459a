package figures

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Shortage is how much of one resource a node lacks, in the unit that the scheduler
// counts it in.
type Shortage struct {
	Resource                       corev1.ResourceName
	Wanted, Requested, Allocatable int64
	Used                           int64 // measured
	Measured                       bool  // used is known
}

// Free is the amount that no pod requests.
func (s Shortage) Free() int64 { return s.Allocatable - s.Requested }

// Short is how much of it is missing.
func (s Shortage) Short() int64 { return max(0, s.Wanted-s.Free()) }

// Shortages are the resources that node lacks, by the rejections of NodeResourcesFit.
func Shortages(rejections []report.Rejection, node *model.Node, usage *model.Usage) []Shortage {
	var found []Shortage
	for _, rejection := range rejections {
		if rejection.Plugin != FitPlugin {
			continue
		}
		for _, number := range rejection.Numbers {
			if s, ok := shortageOf(number, node, usage); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// shortageOf reads one figure; a range is read from the node itself.
func shortageOf(number report.Number, node *model.Node, usage *model.Usage) (Shortage, bool) {
	s := Shortage{Resource: corev1.ResourceName(number.Resource)}
	var ok [3]bool
	s.Wanted, ok[0] = ParseAmount(s.Resource, number.Wanted)
	s.Requested, ok[1] = ParseAmount(s.Resource, number.Requested)
	s.Allocatable, ok[2] = ParseAmount(s.Resource, number.Allocatable)
	if node != nil {
		s.Used, s.Measured = UsedOn(node, s.Resource, usage)
		if !ok[1] || !ok[2] {
			s.Requested, s.Allocatable = AmountIn(node.Requested, s.Resource), AmountIn(node.Allocatable, s.Resource)
			ok[1], ok[2] = true, true
		}
	}
	return s, !slices.Contains(ok[:], false)
}

// ParseAmount reads a quantity in the unit that the scheduler counts name in.
func ParseAmount(name corev1.ResourceName, text string) (int64, bool) {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, false
	}
	amount, _ := model.Count(name, quantity)
	return amount, true
}

// AmountIn picks one resource.
func AmountIn(r model.Resources, name corev1.ResourceName) int64 {
	switch name {
	case corev1.ResourceCPU:
		return r.MilliCPU
	case corev1.ResourceMemory:
		return r.Memory
	case corev1.ResourceEphemeralStorage:
		return r.EphemeralStorage
	case corev1.ResourcePods:
		return r.Pods
	}
	return r.Scalar[name]
}

// UsedOn is the usage of a node by metrics, which only have cpu and memory.
func UsedOn(node *model.Node, name corev1.ResourceName, usage *model.Usage) (int64, bool) {
	if usage == nil {
		return 0, false
	}
	amount, ok := usage.Nodes[node.Name]
	switch {
	case ok && name == corev1.ResourceCPU:
		return amount.MilliCPU, true
	case ok && name == corev1.ResourceMemory:
		return amount.Memory, true
	}
	return 0, false
}

// Holding is the amount of a resource that one pod requests.
type Holding struct {
	Pod    *model.Pod
	Amount int64
}

// HoldersOn are the pods of node that request the resource, the greatest first,
// and the sum that all pods request.
func HoldersOn(node *model.Node, name corev1.ResourceName) (all []Holding, sum int64) {
	for _, pod := range node.Pods {
		if amount := AmountIn(*pod.Requests, name); amount > 0 {
			all = append(all, Holding{pod, amount})
			sum = model.Sum(sum, amount)
		}
	}
	slices.SortStableFunc(all, func(a, b Holding) int {
		switch {
		case a.Amount > b.Amount:
			return -1
		case a.Amount < b.Amount:
			return 1
		}
		return strings.Compare(a.Pod.FullName(), b.Pod.FullName())
	})
	return all, sum
}

// Fullest is the resource of which more is requested: memory, or cpu where the shares are the same.
func Fullest(requested, allocatable model.Resources) corev1.ResourceName {
	share := func(name corev1.ResourceName) int { return model.Percent(requested.Of(name), allocatable.Of(name)) }
	if share(corev1.ResourceMemory) > share(corev1.ResourceCPU) {
		return corev1.ResourceMemory
	}
	return corev1.ResourceCPU
}

// AmountText formats an amount for a sentence: cpu below one core as thousandths.
func AmountText(name corev1.ResourceName, amount int64, round model.Rounding) string {
	if name == corev1.ResourceCPU {
		return model.FormatCPU(amount, round)
	}
	return otherAmount(name, amount, round)
}

// ColumnText formats an amount for a column.
func ColumnText(name corev1.ResourceName, amount int64, round model.Rounding) string {
	if name == corev1.ResourceCPU {
		return model.FormatCores(amount, round)
	}
	return otherAmount(name, amount, round)
}

// SumTexts format free = allocatable − requested, so that the sum holds as it is read.
func SumTexts(name corev1.ResourceName, allocatable, requested int64) (free, all, part string) {
	if CountsBytes(name) {
		return model.FormatMemorySum(allocatable, requested)
	}
	return AmountText(name, allocatable-requested, model.Down), AmountText(name, allocatable, model.Down), AmountText(name, requested, model.Up)
}

func otherAmount(name corev1.ResourceName, amount int64, round model.Rounding) string {
	if CountsBytes(name) {
		return model.FormatMemory(amount, round)
	}
	return model.FormatCount(amount)
}

// CountsBytes reports whether a resource is counted in bytes.
func CountsBytes(name corev1.ResourceName) bool {
	return name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}
