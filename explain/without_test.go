package explain

import (
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Without some pods a node fits as it does in a cluster that never had them.
func TestLeavingPodsOutIsAsIfTheyWereNotThere(t *testing.T) {
	fitted, not := 0, 0
	for seed := range uint64(12) {
		d := dice(rand.New(rand.NewPCG(seed, 73)).IntN)
		c := packed(d)
		e := startEngine(t, Options{}, c.Objects()...)
		var out []types.UID
		for _, pod := range c.Bound {
			if d.Chance(40) {
				out = append(out, pod.UID)
			}
		}
		rest := slices.DeleteFunc(c.Objects(), func(o runtime.Object) bool {
			pod, ok := o.(*corev1.Pod)
			return ok && slices.Contains(out, pod.UID)
		})
		never := startEngine(t, Options{}, rest...)
		for _, pod := range c.Pending {
			before := mustExplain(t, e, pod).Summary
			for _, n := range mustExplain(t, never, pod).Nodes {
				fits, err := e.FitsWithout(t.Context(), pod, n.Name, append(out, "shop/nobody"))
				if err != nil || fits == nil || *fits != *n.Fits {
					t.Errorf("seed %d: %s on %s: %v, %v, and it is %v", seed, pod.Name, n.Name, fits, err, *n.Fits)
					continue
				}
				if *fits {
					fitted++
				} else {
					not++
				}
			}
			if after := mustExplain(t, e, pod).Summary; after != before {
				t.Errorf("seed %d: %s: %q is %q after that", seed, pod.Name, before, after)
			}
		}
	}
	t.Logf("%d fit, %d do not", fitted, not)
	if fitted < 20 || not < 20 {
		t.Errorf("only %d fit and %d do not", fitted, not)
	}
}

func TestWhatDependsOnWhatCouldNotBeReadIsNotDecided(t *testing.T) {
	far := testPod("shop/x", "b", "2", awayFrom(corev1.PodAffinityTerm{
		TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{},
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}},
	}))
	e := startEngineForbidding(t, Options{}, []string{"namespaces"}, evicting(far, testPod("shop/y", "b", "2"))...)
	waits := testPod("shop/more", "", "2")
	if fits, err := e.FitsWithout(t.Context(), waits, "b", []types.UID{"shop/y"}); err != nil || fits != nil {
		t.Errorf("%v, %v", fits, err)
	}
}
