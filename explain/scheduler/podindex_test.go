package scheduler

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// TestIndexesOfPodsHoldWhatAScanFinds adds, changes and removes pods, and compares what the
// indexes say with a scan of all pods after each change.
func TestIndexesOfPodsHoldWhatAScanFinds(t *testing.T) {
	s := startScheduler(t, Options{})
	controllers := []string{"a", "b", ""}
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			name := rapid.SampledFrom([]string{"p", "q", "r", "s"}).Draw(t, "pod")
			var change Change
			if old := s.State.Pods[types.UID(name)]; old != nil {
				change.Old = old
			}
			if change.Old == nil || rapid.Bool().Draw(t, "stays") {
				pod := testPod(name, "10m")
				pod.UID, pod.Spec.NodeName = types.UID(name), rapid.SampledFrom([]string{"", "n1", "n2"}).Draw(t, "node")
				if by := rapid.SampledFrom(controllers).Draw(t, "controller"); by != "" {
					yes := true
					kind := rapid.SampledFrom([]string{"ReplicaSet", "DaemonSet"}).Draw(t, "kind")
					pod.OwnerReferences = []metav1.OwnerReference{{Kind: kind, UID: types.UID(by), Controller: &yes}}
				}
				change.New = pod
			}
			if err := s.Apply(s.State.Revision+1, []Change{change}); err != nil {
				t.Fatal(err)
			}
			compareIndexes(t, s.State, controllers)
		}
	})
}

func compareIndexes(t *rapid.T, s *State, controllers []string) {
	names := func(pods []*corev1.Pod) []string {
		var names []string
		for _, pod := range pods {
			names = append(names, pod.Name)
		}
		slices.Sort(names)
		return names
	}
	scan := func(keep func(*corev1.Pod) bool) []string {
		return names(slices.DeleteFunc(slices.Collect(maps.Values(s.Pods)), func(pod *corev1.Pod) bool { return !keep(pod) }))
	}
	if diff := cmp.Diff(scan(func(pod *corev1.Pod) bool { return pod.Spec.NodeName == "" }), names(slices.Collect(s.Index.Unassigned()))); diff != "" {
		t.Fatalf("pods without a node (-scan +index):\n%s", diff)
	}
	ofDaemonSet := func(pod *corev1.Pod) bool {
		by := metav1.GetControllerOf(pod)
		return by != nil && by.Kind == "DaemonSet"
	}
	if diff := cmp.Diff(scan(ofDaemonSet), names(slices.Collect(s.Index.OfDaemonSets()))); diff != "" {
		t.Fatalf("pods of DaemonSets (-scan +index):\n%s", diff)
	}
	for _, by := range controllers {
		want := scan(func(pod *corev1.Pod) bool {
			of := metav1.GetControllerOfNoCopy(pod)
			return of != nil && string(of.UID) == by
		})
		if diff := cmp.Diff(want, names(s.Index.ControlledBy(types.UID(by)))); diff != "" {
			t.Fatalf("pods of controller %q (-scan +index):\n%s", by, diff)
		}
	}
}
