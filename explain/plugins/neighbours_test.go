package plugins

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What is named of a list are its first pods by name, whatever the order in which they were found; none is lost.
func TestThePodsThatAreNamedComeFirst(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		var pods []*corev1.Pod
		for n := range random.IntN(60) {
			name := metav1.ObjectMeta{Namespace: fmt.Sprint("team-", random.IntN(3)), Name: fmt.Sprint("pod-", n)}
			pods = append(pods, &corev1.Pod{ObjectMeta: name})
		}
		random.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
		byName := func(a, b *corev1.Pod) int { return strings.Compare(FullName(a), FullName(b)) }
		got, want := slices.Clone(pods), slices.SortedFunc(slices.Values(pods), byName)
		namedFirst(got)
		if named := min(len(pods), mostNamed); !slices.Equal(got[:named], want[:named]) {
			t.Fatalf("seed %d: %s come first, want %s", seed, ListPods(got, named), ListPods(want, named))
		}
		if slices.SortFunc(got, byName); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d pods were %d", seed, len(got), len(want))
		}
	}
}
