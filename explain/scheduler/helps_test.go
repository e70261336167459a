package scheduler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// TestAPodComesToFitOnlyByPodsThatHelpAndOnlyOnReachableNodes lets pods come to a simulated state one
// after the other, and asks after each where another pod fits.
func TestAPodComesToFitOnlyByPodsThatHelpAndOnlyOnReachableNodes(t *testing.T) {
	s := startScheduler(t, Options{})
	rejected, helped := 0, 0
	for range 10 { // few draws have a pod that comes to fit
		rapid.Check(t, func(t *rapid.T) {
			beginAnew(t, s)
			apply(t, s, drawMoves(t, s))
			asked := drawSpread(t, "asked")
			if rapid.Bool().Draw(t, "too large for most") {
				asked.Spec.Containers[0].Resources.Requests = testPod("", rapid.SampledFrom([]string{"3990m", "5"}).Draw(t, "cpu")).Spec.Containers[0].Resources.Requests
			}
			none, more := letComeAndCompare(t, s, asked)
			rejected, helped = rejected+none, helped+more
		})
	}
	if rejected == 0 || helped == 0 {
		t.Errorf("no pod was rejected (%d), or none was helped (%d)", rejected, helped)
	}
}

// letComeAndCompare gives how often the asked pod fitted no node, and how often one more.
func letComeAndCompare(t *rapid.T, s *Scheduler, asked *corev1.Pod) (none, more int) {
	nodes := slices.Sorted(maps.Keys(s.State.Nodes))
	if len(nodes) == 0 {
		return 0, 0
	}
	fork := s.State.Fork()
	defer fork.Revert()
	reachable, err := s.ReachableNodes(context.Background(), asked)
	if err != nil {
		t.Fatal(err)
	}
	for n := range rapid.IntRange(1, 6).Draw(t, "newcomers") {
		before := fitting(t, s, asked)
		helps, fitted := Helps(before.Matrix, asked), slices.Clone(before.Names)
		comes := drawMindful(t, fmt.Sprint("new", n), "")
		if err := fork.AddPod(comes, rapid.SampledFrom(nodes).Draw(t, "to")); err != nil {
			t.Fatal(err)
		}
		after := fitting(t, s, asked).Names
		for _, node := range after {
			if !slices.Contains(reachable, node) {
				t.Fatalf("node %s is none of the reachable %v", node, reachable)
			}
			if slices.Contains(fitted, node) {
				continue
			}
			if more++; !helps(comes) {
				t.Fatalf("node %s fits since a pod came that does not help: %v", node, comes.Labels)
			}
		}
		if len(after) == 0 {
			none++
		}
	}
	return none, more
}

func fitting(t *rapid.T, s *Scheduler, pod *corev1.Pod) *FittingNodes {
	found, err := s.FittingNodes(context.Background(), pod, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
