package fixes

import "testing"

// TestValuesLookMisspelt where one letter differs, and not where numbers or single letters tell things
// apart.
func TestValuesLookMisspelt(t *testing.T) {
	for _, c := range []struct {
		wrong, right string
		want         bool
	}{
		{"sdd", "ssd", true},
		{"SSD", "ssd", true},
		{"sds", "ssd", true}, // changed places
		{"sd", "ssd", true},
		{"nvmee", "nvme", true},
		{"gpu-larg", "gpu-large", true},
		{"gpularge", "gpu-large", true},
		{"gpu_large", "gpu-large", true},
		{"on-demnad", "on-demand", true},
		{"hdd", "ssd", false}, // two letters
		{"spot", "on-demand", false},
		{"eu-1a", "eu-1b", false},
		{"zone-a", "zone-b", false},
		{"v1", "v2", false},
		{"cpu", "gpu", false},
		{"m5.xlarge", "m5.large", false},
		{"rack-1-1", "rack-11", false},
		{"eu1c", "eu1-c", true}, // a separator too few
		{"eu-1-c", "eu-1c", true},
		{"large1", "large2", false},
		{"gpu-larg", "cpu-large", false}, // in two words
		{"", "ssd", false},
	} {
		if got := misspelt(c.wrong, c.right); got != c.want {
			t.Errorf("misspelt(%q, %q) = %v", c.wrong, c.right, got)
		}
	}
}
