package scheduler

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"
)

// drawSpread draws a pod that may be spread, with or without terms about others.
func drawSpread(t *rapid.T, name string) *corev1.Pod {
	pod := drawMindful(t, name, "")
	if rapid.Bool().Draw(t, "without terms") {
		pod.Spec.Affinity = nil
	}
	for range rapid.IntRange(0, 2).Draw(t, "constraints") {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			TopologyKey:       rapid.SampledFrom([]string{corev1.LabelHostname, corev1.LabelTopologyZone}).Draw(t, "spread over"),
			MaxSkew:           int32(rapid.IntRange(1, 2).Draw(t, "skew")),
			WhenUnsatisfiable: rapid.SampledFrom([]corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}).Draw(t, "otherwise"),
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "spread with")}},
		})
	}
	return pod
}

// TestPluginsThatAreShownSelectedPodsAnswerAsWithAllOfThem changes the cluster and simulates
// changes, and asks after each about a few kinds of pods, again and again.
func TestPluginsThatAreShownSelectedPodsAnswerAsWithAllOfThem(t *testing.T) {
	for _, fast := range []bool{false, true} {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.InterPodAffinityHostnameFastPath, fast)
		s := startScheduler(t, Options{})
		shown := 0
		rapid.Check(t, func(t *rapid.T) {
			beginAnew(t, s)
			kinds := []*corev1.Pod{drawSpread(t, "one"), drawSpread(t, "two")}
			compare := func() {
				for _, kind := range kinds {
					compareWithAll(t, s, kind)
				}
			}
			for range rapid.IntRange(2, 6).Draw(t, "steps") {
				apply(t, s, drawMoves(t, s))
				compare()
				simulateChanges(t, s, compare)
			}
			for _, known := range s.State.chosen.known {
				shown += len(known.at)
			}
		})
		if shown == 0 {
			t.Error("no selected pods were ever shown")
		}
	}
}

// compareWithAll fails where one of the two plugins rejects a node otherwise than it does when it
// is shown all pods.
func compareWithAll(t *rapid.T, s *Scheduler, pod *corev1.Pod) {
	ctx, p := context.Background(), s.Profile(pod)
	m, err := p.Evaluate(ctx, pod)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{names.PodTopologySpread, names.InterPodAffinity} {
		k := p.IndexOf(name)
		anew := framework.NewCycleState()
		_, status := p.Plugins[k].pre.PreFilter(ctx, anew, pod, m.Nodes)
		if status.IsSkip() != m.Answers[k].Skipped {
			t.Fatalf("%s skips the pod: %t, want %t", name, m.Answers[k].Skipped, status.IsSkip())
		}
		if status.IsSkip() {
			continue
		}
		for i, node := range m.Nodes {
			if got, want := ask(p.Plugins[k].Filter, m.State, pod, node), ask(p.Plugins[k].Filter, anew, pod, node); got != want {
				t.Fatalf("%s on node %s: %s, want %s", name, m.Nodes[i].Node().Name, got, want)
			}
		}
	}
}
