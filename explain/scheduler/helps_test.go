package scheduler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAPodComesToFitOnlyByPodsThatHelpAndOnlyOnReachableNodes lets pods come to a simulated state one
// after the other, and asks after each where another pod fits.
func TestAPodComesToFitOnlyByPodsThatHelpAndOnlyOnReachableNodes(t *testing.T) {
	s := startScheduler(t, Options{})
	rejected, helped := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		beginAnew(t, s)
		apply(t, s, drawMoves(t, s))
		nodes := slices.Sorted(maps.Keys(s.State.Nodes))
		if len(nodes) == 0 {
			return
		}
		asked := drawSpread(t, "asked")
		if rapid.Bool().Draw(t, "too large for most") {
			asked.Spec.Containers[0].Resources.Requests = testPod("", rapid.SampledFrom([]string{"3990m", "5"}).Draw(t, "cpu")).Spec.Containers[0].Resources.Requests
		}
		fork := s.State.Fork()
		defer fork.Revert()
		reachable, err := s.ReachableNodes(context.Background(), asked)
		if err != nil {
			t.Fatal(err)
		}
		for n := range rapid.IntRange(1, 6).Draw(t, "newcomers") {
			before, err := s.FittingNodes(context.Background(), asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			helps := before.Matrix.Helps(asked)
			fitted := slices.Clone(before.Names)
			comes := drawMindful(t, fmt.Sprint("new", n), "")
			if err := fork.AddPod(comes, rapid.SampledFrom(nodes).Draw(t, "to")); err != nil {
				t.Fatal(err)
			}
			after, err := s.FittingNodes(context.Background(), asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, node := range after.Names {
				if !slices.Contains(reachable, node) {
					t.Fatalf("node %s is none of the reachable %v", node, reachable)
				}
				if !slices.Contains(fitted, node) && !helps(comes) {
					t.Fatalf("node %s fits since a pod came that does not help: %v", node, comes.Labels)
				}
				if !slices.Contains(fitted, node) {
					helped++
				}
			}
			if len(after.Names) == 0 {
				rejected++
			}
		}
	})
	if rejected == 0 || helped == 0 {
		t.Errorf("no pod was rejected (%d), or none was helped (%d)", rejected, helped)
	}
}
