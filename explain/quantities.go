package explain

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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
	return name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}
