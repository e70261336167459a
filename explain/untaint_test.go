package explain

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// TestAFixThatRemovesATaintSaysThatOtherPodsMayCome although none is pending now, and what becomes of them
// when the taint is added again.
func TestAFixThatRemovesATaintSaysThatOtherPodsMayCome(t *testing.T) {
	taint := func(effect corev1.TaintEffect) func(*corev1.Node) { return nodeTaint("dedicated", "gpu", effect) }
	for name, c := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"one node": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoSchedule))},
			"other pods may come [node/a may get pods that do not tolerate the taint; undo leaves them there]",
		},
		"several nodes": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoSchedule)), testNode("b", "4", taint(corev1.TaintEffectNoSchedule)), testNode("c", "4", taint(corev1.TaintEffectNoSchedule))},
			"other pods may come [node/a and 2 more may get pods that do not tolerate the taint; undo leaves them there]",
		},
		"NoExecute": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoExecute))},
			"other pods may come [node/a may get pods that do not tolerate the taint; undo evicts them]",
		},
		"another pod is pending": {
			[]runtime.Object{testNode("a", "4", taint(corev1.TaintEffectNoSchedule)), testPod("shop/other", "", "1", ownedBy("ReplicaSet", "other"))},
			"1 other workload fits too [node/a may get pods that do not tolerate the taint; undo leaves them there] [shop/other would fit too]",
		},
	} {
		pod := testPod("shop/web", "", "1")
		e := startEngine(t, Options{}, append(c.objects, pod)...)
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart})
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		for _, fix := range r.Tried.Tried {
			if fix.Kind == report.FixUntaint && fix.Verified {
				got = fix.Outcome()
				for _, a := range fix.Affects {
					got += fmt.Sprintf(" [%s %s]", a.Title(), a.How)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
