package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// TestThePodsOfAControllerAreKeptUpToDate: after any changes they are those that a new index finds.
func TestThePodsOfAControllerAreKeptUpToDate(t *testing.T) {
	index := func(pods map[types.UID]*corev1.Pod) PodIndex {
		return PodIndex{pods: pods, unassigned: map[types.UID]*corev1.Pod{}, daemons: map[types.UID]*corev1.Pod{}, ending: map[types.UID]*corev1.Pod{}}
	}
	controllers := []types.UID{"", "one", "two"}
	rapid.Check(t, func(t *rapid.T) {
		pods := map[types.UID]*corev1.Pod{}
		kept := index(pods)
		for i := range rapid.IntRange(1, 40).Draw(t, "changes") {
			uid := types.UID(fmt.Sprint(rapid.IntRange(0, 7).Draw(t, "pod")))
			old := pods[uid]
			if old != nil && rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				delete(pods, uid)
				kept.drop(old)
			} else {
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: fmt.Sprint(i)}}
				if by := rapid.SampledFrom(controllers).Draw(t, "controller"); by != "" {
					pod.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", UID: by, Controller: new(true)}}
				}
				pod.Spec.NodeName = rapid.SampledFrom([]string{"", "a"}).Draw(t, "node")
				pod.Status.Phase = rapid.SampledFrom([]corev1.PodPhase{corev1.PodRunning, corev1.PodSucceeded}).Draw(t, "phase")
				if rapid.Bool().Draw(t, "terminates") {
					pod.DeletionTimestamp = new(metav1.Unix(1, 0))
				}
				pods[uid] = pod
				kept.set(old, pod)
			}
			ending := maps.Clone(pods)
			maps.DeleteFunc(ending, func(_ types.UID, p *corev1.Pod) bool { return p.DeletionTimestamp == nil || !Assigned(p) })
			if got := maps.Collect(byUID(slices.Collect(kept.Terminating()))); !maps.Equal(got, maps.Collect(byUID(slices.Collect(maps.Values(ending))))) {
				t.Fatalf("terminating: %v, want %v", got, ending)
			}
			anew := index(pods)
			for _, by := range controllers {
				got, want := maps.Collect(byUID(kept.ControlledBy(by))), maps.Collect(byUID(anew.ControlledBy(by)))
				if len(kept.ControlledBy(by)) != len(anew.ControlledBy(by)) || !maps.Equal(got, want) {
					t.Fatalf("pods of %q: %v, want %v", by, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
				}
			}
		}
	})
}

// byUID gives pods by their UID.
func byUID(pods []*corev1.Pod) func(func(types.UID, *corev1.Pod) bool) {
	return func(yield func(types.UID, *corev1.Pod) bool) {
		for _, pod := range pods {
			if !yield(pod.UID, pod) {
				return
			}
		}
	}
}
