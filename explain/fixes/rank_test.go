package fixes

import (
	"slices"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Evictions of one pod each, all of which another pod may make useless, do not stand before what may place more pods.
func TestOfUncertainFixesThoseThatPlaceMorePodsComeFirst(t *testing.T) {
	fix := func(title string, kind report.FixKind, placed, harm int, verified bool) Attempt {
		a := Attempt{harm: harm, Fix: report.Fix{Title: title, Kind: kind, PodsPlaced: placed, Verified: verified, Undo: "undo"}}
		if !verified {
			a.Unless = []report.Unless{{Who: "a pending pod"}}
		}
		return a
	}
	tried := []Attempt{
		fix("evict b", report.FixEvict, 1, 47, false),
		fix("add a node", report.FixNode, 2, 99, false),
		fix("evict a", report.FixEvict, 1, 12, false),
		fix("request less", report.FixRequest, 4, 30, true),
		fix("uncordon", report.FixUncordon, 1, 5, true),
	}
	var found report.Fixes
	rank(tried, &found)
	var got []string
	for _, f := range found.Tried {
		got = append(got, f.Title)
	}
	if want := []string{"uncordon", "request less", "add a node", "evict a", "evict b"}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}
