package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

func TestCanonicalIsTheExactQuantity(t *testing.T) {
	for _, c := range []struct {
		name   corev1.ResourceName
		amount int64
		want   string
	}{
		{corev1.ResourceCPU, 350, "350m"},
		{corev1.ResourceCPU, 4000, "4"},
		{corev1.ResourceCPU, 12250, "12250m"},
		{corev1.ResourceMemory, 8 << 30, "8Gi"},
		{corev1.ResourceMemory, 1536 << 20, "1536Mi"},
		{corev1.ResourceMemory, 1_000_001, "1000001"},
		{corev1.ResourceEphemeralStorage, 10 << 30, "10Gi"},
		{"hugepages-2Mi", 64 << 20, "64Mi"},
		{corev1.ResourcePods, 110, "110"},
		{"nvidia.com/gpu", 0, "0"},
		{corev1.ResourceCPU, -100, "-100m"},
	} {
		if got := canonical(c.name, c.amount); got != c.want {
			t.Errorf("canonical(%s, %d) = %s, want %s", c.name, c.amount, got, c.want)
		}
	}
}

func TestCanonicalRangeNamesBothEndsOnce(t *testing.T) {
	if got := canonicalRange(corev1.ResourceCPU, 350, 3100); got != "350m–3100m" {
		t.Error(got)
	}
	if got := canonicalRange(corev1.ResourceMemory, 2<<30, 2<<30); got != "2Gi" {
		t.Error(got)
	}
}

func TestCanonicalLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1<<52).Draw(t, "amount")
		cpu := resource.MustParse(canonical(corev1.ResourceCPU, amount))
		memory := resource.MustParse(canonical(corev1.ResourceMemory, amount))
		if cpu.MilliValue() != amount || memory.Value() != amount {
			t.Errorf("%d became %s and %s", amount, cpu.String(), memory.String())
		}
	})
}
