// Package quantity writes amounts of resources as the scheduler counts them: exactly, or
// rounded for people.
package quantity

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// To joins the ends of a range.
const To = "–"

// Canonical writes an amount, in the unit that the scheduler counts the
// resource in, as the exact Kubernetes quantity: cpu "350m", memory "1536Mi".
func Canonical(name corev1.ResourceName, amount int64) string {
	switch {
	case name == corev1.ResourceCPU:
		return resource.NewMilliQuantity(amount, resource.DecimalSI).String()
	case CountsBytes(name):
		return resource.NewQuantity(amount, resource.BinarySI).String()
	}
	return resource.NewQuantity(amount, resource.DecimalSI).String()
}

// CanonicalRange is the least and the greatest of some amounts: "350m–3100m",
// or one quantity where they are equal.
func CanonicalRange(name corev1.ResourceName, least, greatest int64) string {
	if least == greatest {
		return Canonical(name, least)
	}
	return Canonical(name, least) + To + Canonical(name, greatest)
}

// Exact writes an amount for people without rounding it: cpu below one as "350m",
// from one on as "12.25"; everything else as Canonical does.
func Exact(name corev1.ResourceName, amount int64) string {
	if name != corev1.ResourceCPU || amount > -1000 && amount < 1000 {
		return Canonical(name, amount)
	}
	digits := strconv.FormatInt(amount, 10) // three of them are thousandths
	whole, rest := digits[:len(digits)-3], strings.TrimRight(digits[len(digits)-3:], "0")
	if rest == "" {
		return whole
	}
	return whole + "." + rest
}

// ExactRange is the least and the greatest of some amounts: "350m–3.1".
func ExactRange(name corev1.ResourceName, least, greatest int64) string {
	if least == greatest {
		return Exact(name, least)
	}
	return Exact(name, least) + To + Exact(name, greatest)
}

// CountsBytes says whether a resource is counted in bytes.
func CountsBytes(name corev1.ResourceName) bool {
	return name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage || name == corev1.ResourceStorage ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// Misread is what a request looks like it was meant to be, in the scheduler's unit, if its unit may be
// wrong: 4000 cores for 4000m, 512Gi for 512Mi, with how that is written. It is many times the most that
// a node has, and what was meant is no more than that; 0 where it does not look so.
func Misread(name corev1.ResourceName, amount, most int64) (meant int64, written string) {
	const (
		times      = 4
		core, many = 1000, 100 // a core in thousandths; hardly a container requests a hundred
		gi         = 1 << 30
	)
	switch {
	case amount/times < most:
		return 0, ""
	case name == corev1.ResourceCPU && amount >= many*core && amount%core == 0:
		meant, written = amount/core, fmt.Sprintf("%dm", amount/core)
	case name == corev1.ResourceMemory && amount >= many*gi && amount%gi == 0:
		meant, written = amount>>10, fmt.Sprintf("%dMi", amount/gi)
	}
	if meant > most {
		return 0, ""
	}
	return meant, written
}

// RoundedUp writes a shortage for people, no less than it is.
func RoundedUp(name corev1.ResourceName, amount int64) string {
	return forPeople(name, amount, model.Up)
}

// RoundedDown writes free capacity for people, no more than there is.
func RoundedDown(name corev1.ResourceName, amount int64) string {
	return forPeople(name, amount, model.Down)
}

// OfPod writes what a pod requests for people: cpu exactly, everything else no less than it
// is.
func OfPod(name corev1.ResourceName, amount int64) string {
	if name == corev1.ResourceCPU {
		return Exact(name, amount)
	}
	return RoundedUp(name, amount)
}

// OfRequest is OfPod of an amount as the API has it.
func OfRequest(name corev1.ResourceName, amount resource.Quantity) string {
	if name == corev1.ResourceCPU {
		return OfPod(name, amount.MilliValue())
	}
	return OfPod(name, amount.Value())
}

// RoundedUpRange is a range of shortages, the unit written once if it is one:
// "1.2–3.1", "350m–1.2", "2–4Gi".
func RoundedUpRange(name corev1.ResourceName, least, greatest int64) string {
	low, high := RoundedUp(name, least), RoundedUp(name, greatest)
	if low == high {
		return low
	}
	if unit := unitOf(high); unit != "" {
		low = strings.TrimSuffix(low, unit)
	}
	return low + To + high
}

func unitOf(amount string) string { return strings.TrimLeft(amount, "-.,0123456789") }

// forPeople writes an amount with few digits.
func forPeople(name corev1.ResourceName, amount int64, round model.Rounding) string {
	switch {
	case name == corev1.ResourceCPU:
		return model.FormatCPU(amount, round)
	case CountsBytes(name):
		return model.FormatMemory(amount, round)
	}
	return model.FormatCount(amount)
}
