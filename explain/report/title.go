package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Title names the pod; one that was not created goes by its owner.
func (p *PodRef) Title() string {
	switch {
	case p.Name != "":
		return p.Namespace + "/" + p.Name
	case p.Owner != nil:
		return fmt.Sprintf("%s/%s (%s)", p.Namespace, p.Owner.Name, p.Owner.Kind)
	default:
		return p.Namespace
	}
}

// Line is the pod's requests, QoS class, priority and workload, in one line.
func (p *PodRef) Line() string {
	parts := []string{p.Requested(), p.QOSClass, p.PriorityWords()}
	if p.Owner != nil && p.Name != "" {
		parts = append(parts, p.Owner.Kind+" "+p.Owner.Name)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// PriorityWords are its priority, and whether that is the cluster's default: "priority 50000, the global default
// (PriorityClass batch)".
func (p *PodRef) PriorityWords() string {
	said := fmt.Sprintf("priority %d", p.Priority)
	if p.DefaultPriorityClass != "" {
		said += ", the global default (PriorityClass " + p.DefaultPriorityClass + ")"
	}
	return said
}

// PriorityBrief is PriorityWords in fewer words: "priority 50000 (global default batch)".
func (p *PodRef) PriorityBrief() string {
	said := fmt.Sprintf("priority %d", p.Priority)
	if p.DefaultPriorityClass != "" {
		said += " (global default " + p.DefaultPriorityClass + ")"
	}
	return said
}

// Requested is what the pod requests, as the scheduler counts it: "requests cpu 3.7, memory
// 12Gi", and how much of it are defaults of a LimitRange. Amounts but cpu are rounded up.
func (p *PodRef) Requested() string {
	if amounts := p.Amounts(); amounts != "" {
		return "requests " + amounts
	}
	return "requests nothing"
}

// Amounts are those of Requested: "cpu 3.7, memory 12Gi"; "" where there is nothing.
func (p *PodRef) Amounts() string {
	var requests []string
	for _, name := range slices.SortedFunc(maps.Keys(p.Requests), func(a, b string) int {
		return strings.Compare(ResourceRank(corev1.ResourceName(a)), ResourceRank(corev1.ResourceName(b)))
	}) {
		requested, err := resource.ParseQuantity(p.Requests[name])
		if err != nil || requested.IsZero() {
			continue
		}
		said := name + " " + amountText(corev1.ResourceName(name), requested)
		if given, err := resource.ParseQuantity(p.LimitRangeDefaults[name]); err == nil && !given.IsZero() {
			said += " (" + amountText(corev1.ResourceName(name), given) + " by a LimitRange)"
		}
		requests = append(requests, said)
	}
	return strings.Join(requests, ", ")
}

// amountText is an amount of a resource, cpu exactly and others rounded up; as it was written where 64 bits do not
// hold it.
func amountText(name corev1.ResourceName, requested resource.Quantity) string {
	amount, fits := model.Count(name, requested)
	text := requested.String()
	switch {
	case name == corev1.ResourceCPU:
		text = quantity.OfPod(name, amount)
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage, strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
		text = model.FormatMemory(amount, model.Up)
	}
	if !fits || strings.HasPrefix(text, ">") {
		return requested.String()
	}
	return text
}

// Assumed is the origin of the default profile.
const Assumed = "default profile assumed"

// ResourceRank orders resources: the scheduler's own four, then by name.
func ResourceRank(name corev1.ResourceName) string {
	first := []corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage,
	}
	if i := slices.Index(first, name); i >= 0 {
		return fmt.Sprint(i)
	}
	return "9" + string(name)
}
