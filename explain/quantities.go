package explain

import (
	"fmt"
	"strconv"
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

// roundedUp writes a shortage for people, no less than it is.
func roundedUp(name corev1.ResourceName, amount int64) string { return forPeople(name, amount, 1) }

// roundedDown writes room for people, no more than there is.
func roundedDown(name corev1.ResourceName, amount int64) string { return forPeople(name, amount, 0) }

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

func unitOf(amount string) string { return strings.TrimLeft(amount, "-.0123456789") }

// forPeople writes an amount with few digits; up is 1 to round up, 0 to round
// down. Cores have two decimals, as thousandths below one; bytes have one
// decimal below ten of a unit.
func forPeople(name corev1.ResourceName, amount, up int64) string {
	switch {
	case amount < 0:
		return "-" + forPeople(name, -amount, 1-up)
	case name == corev1.ResourceCPU && amount < 1000:
		return fmt.Sprintf("%dm", amount)
	case name == corev1.ResourceCPU:
		return decimal((amount+9*up)/10, 2)
	case countsBytes(name):
		return bytesForPeople(amount, up)
	}
	return strconv.FormatInt(amount, 10)
}

func bytesForPeople(amount, up int64) string {
	unit, suffix := int64(1), ""
	for _, next := range []string{"Ki", "Mi", "Gi", "Ti", "Pi"} {
		if amount < unit<<10 {
			break
		}
		unit, suffix = unit<<10, next
	}
	whole, part := amount/unit, amount%unit
	if whole < 10 && unit > 1 {
		return decimal(whole*10+(part*10+(unit-1)*up)/unit, 1) + suffix
	}
	if part > 0 {
		whole += up
	}
	return strconv.FormatInt(whole, 10) + suffix
}

// decimal writes a count of tenths or hundredths without trailing zeros.
func decimal(count int64, places int) string {
	digits := fmt.Sprintf("%0*d", places+1, count)
	cut := len(digits) - places
	return strings.TrimSuffix(strings.TrimRight(digits[:cut]+"."+digits[cut:], "0"), ".")
}
