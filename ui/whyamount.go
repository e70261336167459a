package ui

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// shortage is why one node has too little of one resource, in the unit that the
// scheduler counts it in.
type shortage struct {
	resource                       corev1.ResourceName
	wanted, requested, allocatable int64
	used                           int64 // measured
	measured                       bool  // used is known
}

func (s shortage) free() int64  { return s.allocatable - s.requested }
func (s shortage) short() int64 { return max(0, s.wanted-s.free()) }

// shortages are the resources that node has too little of, by what the plugin
// that asks for room says of it.
func shortages(refusals []report.Refusal, node *model.Node, usage *model.Usage) []shortage {
	var found []shortage
	for _, refusal := range refusals {
		if refusal.Plugin != fitPlugin {
			continue
		}
		for _, number := range refusal.Numbers {
			if s, ok := shortageOf(number, node, usage); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// shortageOf reads one figure; a range is read from the node itself.
func shortageOf(number report.Number, node *model.Node, usage *model.Usage) (shortage, bool) {
	s := shortage{resource: corev1.ResourceName(number.Resource)}
	var ok [3]bool
	s.wanted, ok[0] = parseAmount(s.resource, number.Wanted)
	s.requested, ok[1] = parseAmount(s.resource, number.Requested)
	s.allocatable, ok[2] = parseAmount(s.resource, number.Allocatable)
	if node != nil {
		s.used, s.measured = usedOn(node, s.resource, usage)
		if !ok[1] || !ok[2] {
			s.requested, s.allocatable = amountIn(node.Requested, s.resource), amountIn(node.Allocatable, s.resource)
			ok[1], ok[2] = true, true
		}
	}
	return s, !slices.Contains(ok[:], false)
}

// parseAmount reads a quantity in the unit that the scheduler counts name in.
func parseAmount(name corev1.ResourceName, text string) (int64, bool) {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, false
	}
	amount, _ := model.Count(name, quantity)
	return amount, true
}

// amountIn picks one resource.
func amountIn(r model.Resources, name corev1.ResourceName) int64 {
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

// usedOn is what metrics say of a node; only cpu and memory are measured.
func usedOn(node *model.Node, name corev1.ResourceName, usage *model.Usage) (int64, bool) {
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

// holding is what one pod takes of a resource.
type holding struct {
	pod    *model.Pod
	amount int64
}

// holders are the pods of node that request the resource, the greatest first,
// and the sum that all pods request.
func holders(node *model.Node, name corev1.ResourceName) (all []holding, sum int64) {
	for _, pod := range node.Pods {
		if amount := amountIn(pod.Requests, name); amount > 0 {
			all = append(all, holding{pod, amount})
			sum = model.Sum(sum, amount)
		}
	}
	slices.SortStableFunc(all, func(a, b holding) int {
		switch {
		case a.amount > b.amount:
			return -1
		case a.amount < b.amount:
			return 1
		}
		return strings.Compare(a.pod.FullName(), b.pod.FullName())
	})
	return all, sum
}

// amountText words an amount for a sentence: cpu below one core as thousandths.
func amountText(name corev1.ResourceName, amount int64, round model.Rounding) string {
	if name == corev1.ResourceCPU {
		return model.FormatCPU(amount, round)
	}
	return otherAmount(name, amount, round)
}

// columnText words an amount for a column that is compared by eye.
func columnText(name corev1.ResourceName, amount int64, round model.Rounding) string {
	if name == corev1.ResourceCPU {
		return model.FormatCores(amount, round)
	}
	return otherAmount(name, amount, round)
}

func otherAmount(name corev1.ResourceName, amount int64, round model.Rounding) string {
	if name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
		return model.FormatMemory(amount, round)
	}
	return model.FormatCount(amount)
}
