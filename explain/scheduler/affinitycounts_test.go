package scheduler

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"
)

// drawTerms draws required terms about other pods.
func drawTerms(t *rapid.T) []corev1.PodAffinityTerm {
	var terms []corev1.PodAffinityTerm
	for range rapid.IntRange(0, 2).Draw(t, "terms") {
		terms = append(terms, corev1.PodAffinityTerm{
			TopologyKey:   rapid.SampledFrom([]string{corev1.LabelHostname, corev1.LabelTopologyZone}).Draw(t, "topology"),
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "selected")}},
			Namespaces:    rapid.SliceOfN(rapid.SampledFrom([]string{"dev", "prod"}), 0, 2).Draw(t, "namespaces"),
		})
	}
	return terms
}

// drawMindful draws a pod that may have terms about others.
func drawMindful(t *rapid.T, name, node string) *corev1.Pod {
	pod := testPod(name, "10m")
	pod.UID, pod.Spec.NodeName = types.UID(name), node
	pod.Namespace = rapid.SampledFrom([]string{"dev", "prod"}).Draw(t, "namespace")
	pod.Labels = map[string]string{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app")}
	pod.Spec.Affinity = &corev1.Affinity{
		PodAffinity:     &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: drawTerms(t)},
		PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: drawTerms(t)},
	}
	return pod
}

func drawZoned(t *rapid.T, name string) *corev1.Node {
	node := testNode(name, "4")
	node.Labels = map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "zone")}
	return node
}

var someNodes = rapid.SampledFrom([]string{"a", "b", "c", "d"})

// TestRememberedCountsOfPodsAreThoseThatThePluginMakesAnew changes the cluster and simulates
// changes, and asks after each whether each node is rejected as without any memory.
func TestRememberedCountsOfPodsAreThoseThatThePluginMakesAnew(t *testing.T) {
	s := startScheduler(t, Options{})
	recalled := 0
	rapid.Check(t, func(t *rapid.T) {
		beginAnew(t, s)
		asked := drawMindful(t, "asked", "")
		for range rapid.IntRange(2, 10).Draw(t, "steps") {
			apply(t, s, drawMoves(t, s))
			compare := func() { recalled += compareCounts(t, s, asked) }
			compare()
			simulateChanges(t, s, compare)
		}
	})
	if recalled == 0 {
		t.Error("no counts were ever used again")
	}
}

// beginAnew takes away what the draw before has left, and adds nodes.
func beginAnew(t *rapid.T, s *Scheduler) {
	var changes []Change
	for name := range s.State.Nodes {
		changes = append(changes, Change{Old: s.State.Nodes[name]})
	}
	for uid := range s.State.Pods {
		changes = append(changes, Change{Old: s.State.Pods[uid]})
	}
	for _, name := range []string{"a", "b", "c"} {
		changes = append(changes, Change{New: drawZoned(t, name)})
	}
	apply(t, s, changes)
}

// simulateChanges changes a fork and compares after each change.
func simulateChanges(t *rapid.T, s *Scheduler, compare func()) {
	fork := s.State.Fork()
	defer fork.Revert()
	for range rapid.IntRange(0, 4).Draw(t, "changes of the fork") {
		changeFork(t, s, fork)
		compare()
	}
}

func apply(t *rapid.T, s *Scheduler, changes []Change) {
	if err := s.Apply(s.State.Revision+1, changes); err != nil {
		t.Fatal(err)
	}
}

// drawMoves draws changes of pods, and now and then of a node.
func drawMoves(t *rapid.T, s *Scheduler) (changes []Change) {
	for range rapid.IntRange(0, 5).Draw(t, "moves") {
		name := fmt.Sprint("pod", rapid.IntRange(0, 5).Draw(t, "pod"))
		was := s.State.Pods[types.UID(name)]
		switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case kind == 0:
			changes = append(changes, Change{New: drawZoned(t, someNodes.Draw(t, "node"))})
		case kind == 1:
			node := s.State.Nodes[someNodes.Draw(t, "node")]
			if node != nil {
				changes = append(changes, Change{Old: node})
			}
		case kind < 4 && was != nil:
			changes = append(changes, Change{Old: was})
		case kind < 6 && was != nil: // its status alone
			is := was.DeepCopy()
			is.Status.Phase = rapid.SampledFrom([]corev1.PodPhase{corev1.PodRunning, corev1.PodSucceeded}).Draw(t, "phase")
			changes = append(changes, Change{Old: was, New: is})
		default:
			changes = append(changes, Change{New: drawMindful(t, name, someNodes.Draw(t, "on"))})
		}
	}
	return changes
}

// changeFork adds, removes or changes something in a simulated state.
func changeFork(t *rapid.T, s *Scheduler, fork *Fork) {
	node := someNodes.Draw(t, "node")
	at, err := s.State.overlay.Get(node)
	if err != nil {
		if err := fork.AddNode(NewNode{Node: drawZoned(t, node), Pods: []*corev1.Pod{drawMindful(t, "daemon", node)}}); err != nil {
			t.Fatal(err)
		}
		return
	}
	switch kind := rapid.IntRange(0, 3).Draw(t, "change"); {
	case kind == 0 && len(at.GetPods()) > 0:
		err = fork.RemovePod(at.GetPods()[0].GetPod())
	case kind == 1:
		err = fork.SetNode(drawZoned(t, node))
	default:
		err = fork.AddPod(drawMindful(t, fmt.Sprint("new", rapid.Int().Draw(t, "new")), ""), node)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compareCounts fails where a node is rejected otherwise than by counts made anew, and gives 1
// where counts were used again.
func compareCounts(t *rapid.T, s *Scheduler, pod *corev1.Pod) int {
	ctx, p := context.Background(), s.Profile(pod)
	m := &s.trial
	if err := m.begin(p, nil); err != nil {
		t.Fatal(err)
	}
	k, nodes := p.IndexOf(names.InterPodAffinity), m.Nodes
	other := pod.DeepCopy() // another replica has the same counts
	other.Name, other.UID = "other", "other"
	if !s.State.counts.recall(ctx, m, k, other) {
		if minds(pod) {
			t.Fatal("counts cannot be made")
		}
		return 0
	}
	anew := framework.NewCycleState()
	if _, status := p.Plugins[k].pre.PreFilter(ctx, anew, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	for _, node := range nodes {
		got, want := ask(p.Plugins[k].Filter, m.State, other, node), ask(p.Plugins[k].Filter, anew, pod, node)
		if got != want {
			t.Fatalf("node %s: %s, want %s", node.Node().Name, got, want)
		}
	}
	return 1
}

func ask(f fwk.FilterPlugin, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo) string {
	return fmt.Sprint(f.Filter(context.Background(), state, pod, node))
}
