package query

import (
	"math"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// parseNumber reads a value in a field's unit. step is its precision: age=2h holds
// from 2h up to 3h, as the column shows.
func parseNumber(unit Unit, text string) (wanted, step int64, cause string) {
	if unit == Duration {
		wanted, step, ok := parseDuration(text)
		if !ok {
			return 0, 0, text + " is not a duration such as 90s, 2h or 3d"
		}
		return wanted, step, ""
	}
	quantity, err := resource.ParseQuantity(text)
	switch {
	case err != nil && unit == Integer:
		return 0, 0, text + " is not a number"
	case err != nil:
		return 0, 0, text + " is not a quantity such as 500m or 8Gi"
	case unit == Cores:
		amount, _ := model.Count(corev1.ResourceCPU, quantity)
		return amount, 1, ""
	case unit == Integer && quantity.MilliValue()%1000 != 0:
		return 0, 0, text + " is not a whole number"
	}
	amount, _ := model.Count("", quantity)
	return amount, 1, ""
}

// durations are the units of time by their letter.
var durations = map[byte]time.Duration{
	's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour, 'y': 365 * 24 * time.Hour,
}

// parseDuration reads 90s, 2h, 3d, 1h30m; step is the smallest unit of it.
func parseDuration(text string) (sum, step int64, ok bool) {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 {
			return 0, 0, false
		}
		count, err := strconv.ParseInt(text[:end], 10, 64)
		one := int64(durations[text[end]])
		if err != nil || one == 0 || count > math.MaxInt64/one || sum > math.MaxInt64-count*one {
			return 0, 0, false
		}
		sum, step, text = sum+count*one, one, text[end+1:]
	}
	return sum, step, step > 0
}
