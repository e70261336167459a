package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergedPartsKeepThoseOfNoPlugin(t *testing.T) {
	got := MergeUnknown(
		[]UnknownPart{{Resource: "nodes", Why: "stopped after 10 s", Plugins: []string{}}},
		[]UnknownPart{{Resource: "csinodes", Why: "not allowed", Plugins: []string{"NodeVolumeLimits"}}, {Resource: "csinodes", Why: "not allowed", Plugins: []string{"VolumeBinding"}}},
	)
	want := []UnknownPart{
		{Resource: "csinodes", Why: "not allowed", Plugins: []string{"NodeVolumeLimits", "VolumeBinding"}},
		{Resource: "nodes", Why: "stopped after 10 s", Plugins: []string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
