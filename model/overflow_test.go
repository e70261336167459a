package model

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// large are quantities around what 64 bits hold, and usual ones.
func large() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"9223372036854775807", "9223372036854775806", "9223372036854775", "9223372036854776", "9223372036854775807m", "10E", "20E", "8Ei", "1e30",
			"4611686018427387904", "5000000000000000000", "9223372036854775807k", "0", "1", "350m", "8Gi",
		}),
		rapid.Map(rapid.Uint64(), func(n uint64) string { return fmt.Sprint(n) }),
		rapid.Map(rapid.Uint64(), func(n uint64) string { return fmt.Sprintf("%dm", n) }),
	)
}

const gadget corev1.ResourceName = "example.com/gadget"

func TestNoAmountIsNegativeHoweverLarge(t *testing.T) {
	names := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, gadget}
	rapid.Check(t, func(t *rapid.T) {
		node := newNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "a"}}, "")
		want := map[corev1.ResourceName]*big.Rat{}
		var pods []*Pod
		for i := range rapid.IntRange(1, 4).Draw(t, "pods") {
			requests := corev1.ResourceList{}
			for _, name := range names {
				requests[name] = resource.MustParse(large().Draw(t, string(name)))
				if name != corev1.ResourceCPU {
					requests[name] = roundedUp(requests[name])
				}
				if want[name] == nil {
					want[name] = new(big.Rat)
				}
				want[name].Add(want[name], rat(requests[name]))
			}
			pods = append(pods, NewPod(&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i), Namespace: "a", UID: types.UID(fmt.Sprint(i))},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Resources: corev1.ResourceRequirements{Requests: requests}}}},
			}))
		}
		sum := node.with(pods).Requested
		for _, name := range names {
			exact := sum.Exact(name)
			if got := rat(exact); got.Cmp(want[name]) != 0 {
				t.Fatalf("%s sums up to %s, want %s", name, got, want[name])
			}
			unit := new(big.Rat).Set(want[name])
			if name == corev1.ResourceCPU {
				unit.Mul(unit, big.NewRat(1000, 1))
			}
			amount := sum.Of(name)
			most := new(big.Rat).SetInt64(math.MaxInt64)
			if unit.Cmp(most) > 0 && amount != math.MaxInt64 || unit.Cmp(most) <= 0 && unit.Cmp(new(big.Rat).SetInt64(amount)) != 0 {
				t.Fatalf("%s counts as %d, want %s", name, amount, unit)
			}
		}
		for _, text := range []string{sum.String(), FormatCores(sum.MilliCPU, Up), FormatMemory(sum.Memory, Nearest), FormatMemoryOf(sum.Memory, sum.Memory), FormatCount(sum.Of(gadget))} {
			if strings.HasPrefix(text, "-") || strings.Contains(text, " -") || strings.Contains(text, "/-") {
				t.Fatalf("it is told as %q", text)
			}
		}
		left := sum.Minus(&sum)
		for _, name := range names {
			if exact := left.Exact(name); !exact.IsZero() {
				t.Fatalf("%s less itself is %s", name, exact.String())
			}
		}
	})
}

// roundedUp is a quantity in whole units, as the scheduler counts.
func roundedUp(q resource.Quantity) resource.Quantity {
	q.RoundUp(0)
	return q
}

func rat(q resource.Quantity) *big.Rat {
	n, ok := new(big.Rat).SetString(q.AsDec().String())
	if !ok {
		panic(q.String())
	}
	return n
}

func TestWhatIsMoreThan64BitsHoldIsToldAsAtLeastThat(t *testing.T) {
	r := NewResources(corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("9223372036854775807")})
	if got := r.String(); got != "cpu >=9223372036854775" {
		t.Errorf("it is told as %q", got)
	}
	exact := r.Exact(corev1.ResourceCPU)
	if got := exact.String(); got != "9223372036854775807" {
		t.Errorf("exactly it is %q", got)
	}
}
