package quantity

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
		if got := Canonical(c.name, c.amount); got != c.want {
			t.Errorf("canonical(%s, %d) = %s, want %s", c.name, c.amount, got, c.want)
		}
	}
}

func TestCanonicalRangeNamesBothEndsOnce(t *testing.T) {
	if got := CanonicalRange(corev1.ResourceCPU, 350, 3100); got != "350m–3100m" {
		t.Error(got)
	}
	if got := CanonicalRange(corev1.ResourceMemory, 2<<30, 2<<30); got != "2Gi" {
		t.Error(got)
	}
}

func TestCanonicalLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1<<52).Draw(t, "amount")
		cpu := resource.MustParse(Canonical(corev1.ResourceCPU, amount))
		memory := resource.MustParse(Canonical(corev1.ResourceMemory, amount))
		if cpu.MilliValue() != amount || memory.Value() != amount {
			t.Errorf("%d became %s and %s", amount, cpu.String(), memory.String())
		}
	})
}

func TestShortagesRoundUpAndRoomRoundsDown(t *testing.T) {
	for _, c := range []struct {
		name     corev1.ResourceName
		amount   int64
		up, down string
	}{
		{corev1.ResourceCPU, 0, "0", "0"},
		{corev1.ResourceCPU, 350, "350m", "350m"},
		{corev1.ResourceCPU, 2000, "2", "2"},
		{corev1.ResourceCPU, 3100, "3.1", "3.1"},
		{corev1.ResourceCPU, 12250, "12.25", "12.25"},
		{corev1.ResourceCPU, 12251, "12.26", "12.25"},
		{corev1.ResourceCPU, -50, "-50m", "-50m"},
		{corev1.ResourceMemory, 2 << 30, "2Gi", "2Gi"},
		{corev1.ResourceMemory, 1536 << 20, "1.5Gi", "1.5Gi"},
		{corev1.ResourceMemory, 1<<30 + 1, "1.1Gi", "1Gi"},
		{corev1.ResourceMemory, 10<<30 - 1, "10Gi", "9.9Gi"},
		{corev1.ResourceMemory, 19<<30 + 5, "20Gi", "19Gi"},
		{corev1.ResourceMemory, 100, "100", "100"},
		{corev1.ResourcePods, 3, "3", "3"},
		{"example.com/widgets", 12000, "12,000", "12,000"},
	} {
		if up, down := RoundedUp(c.name, c.amount), RoundedDown(c.name, c.amount); up != c.up || down != c.down {
			t.Errorf("%s %d: up %s, down %s; want %s, %s", c.name, c.amount, up, down, c.up, c.down)
		}
	}
}

func TestARangeOfShortagesTellsItsUnitOnce(t *testing.T) {
	for _, c := range []struct {
		name     corev1.ResourceName
		low, top int64
		want     string
	}{
		{corev1.ResourceCPU, 1200, 3100, "1.2–3.1"},
		{corev1.ResourceCPU, 350, 1200, "350m–1.2"},
		{corev1.ResourceMemory, 2 << 30, 4 << 30, "2–4Gi"},
		{corev1.ResourceMemory, 512 << 20, 4 << 30, "512Mi–4Gi"},
		{corev1.ResourcePods, 1, 1, "1"},
	} {
		if got := RoundedUpRange(c.name, c.low, c.top); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWhatAPodRequestsIsExactOrNoLess(t *testing.T) {
	for _, test := range []struct {
		name   corev1.ResourceName
		amount int64
		want   string
	}{
		{corev1.ResourceCPU, 3999, "3.999"},
		{corev1.ResourceCPU, 350, "350m"},
		{corev1.ResourceCPU, 4000, "4"},
		{corev1.ResourceMemory, 8191 << 20, "8Gi"},
		{"nvidia.com/gpu", 2, "2"},
	} {
		if got := OfPod(test.name, test.amount); got != test.want {
			t.Errorf("%s %d: %s, want %s", test.name, test.amount, got, test.want)
		}
	}
}
