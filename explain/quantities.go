package explain

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// to joins the ends of a range.
const to = "–"

// canonical writes an amount, in the unit that the scheduler counts the
// resource in, as the exact Kubernetes quantity: cpu "350m", memory "1536Mi".
func canonical(name corev1.ResourceName, amount int64) string {
	switch {
	case name == corev1.ResourceCPU:
		return resource.NewMilliQuantity(amount, resource.DecimalSI).String()
	case countsBytes(name):
		return resource.NewQuantity(amount, resource.BinarySI).String()
	}
	return resource.NewQuantity(amount, resource.DecimalSI).String()
}

// canonicalRange is the least and the greatest of some amounts: "350m–3100m",
// or one quantity where they are equal.
func canonicalRange(name corev1.ResourceName, least, greatest int64) string {
	if least == greatest {
		return canonical(name, least)
	}
	return canonical(name, least) + to + canonical(name, greatest)
}

func countsBytes(name corev1.ResourceName) bool {
	return name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage || name == corev1.ResourceStorage ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// roundedUp writes a shortage for people, no less than it is.
func roundedUp(name corev1.ResourceName, amount int64) string {
	return forPeople(name, amount, model.Up)
}

// roundedDown writes room for people, no more than there is.
func roundedDown(name corev1.ResourceName, amount int64) string {
	return forPeople(name, amount, model.Down)
}

// roundedUpRange is a range of shortages, the unit told once if it is one:
// "1.2–3.1", "350m–1.2", "2–4Gi".
func roundedUpRange(name corev1.ResourceName, least, greatest int64) string {
	low, high := roundedUp(name, least), roundedUp(name, greatest)
	if low == high {
		return low
	}
	if unit := unitOf(high); unit != "" {
		low = strings.TrimSuffix(low, unit)
	}
	return low + to + high
}

func unitOf(amount string) string { return strings.TrimLeft(amount, "-.,0123456789") }

// forPeople writes an amount with few digits.
func forPeople(name corev1.ResourceName, amount int64, round model.Rounding) string {
	switch {
	case name == corev1.ResourceCPU:
		return model.FormatCPU(amount, round)
	case countsBytes(name):
		return model.FormatMemory(amount, round)
	}
	return model.FormatCount(amount)
}
