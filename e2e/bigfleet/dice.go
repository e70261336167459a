package bigfleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// dice draw what a cluster is made of.
type dice struct{ *rand.Rand }

// pick draws one of the choices.
func pick[T any](d dice, choices ...T) T { return choices[d.IntN(len(choices))] }

// between draws a number from low to high.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// chance is true in a share of cases.
func (d dice) chance(share float64) bool { return d.Float64() < share }

// about draws a number around a mean, mostly below it and at most the limit.
func (d dice) about(mean float64, limit int) int { return min(int(d.ExpFloat64()*mean), limit) }

// powerLaw draws a size from 1 to limit: small ones often, a large one now and then.
func (d dice) powerLaw(alpha float64, limit int) int {
	return int(min(math.Pow(1-d.Float64(), -1/alpha), float64(max(limit, 1))))
}

// word draws n letters and digits, as the API server generates them.
func (d dice) word(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	text := make([]byte, n)
	for i := range text {
		text[i] = letters[d.IntN(len(letters))]
	}
	return string(text)
}

// age is a time of the last month.
func (d dice) age() metav1.Time {
	const month = 30 * 24 * time.Hour
	return metav1.NewTime(time.Now().Add(-time.Duration(d.Int64N(int64(month)))).Truncate(time.Second))
}

// uid draws one.
func (d dice) uid() types.UID {
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x",
		d.Uint32(), d.IntN(1<<16), d.IntN(1<<12), d.IntN(1<<12), d.Int64N(1<<48)))
}
