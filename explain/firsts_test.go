package explain

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestAnAnswerNamesTheNodeThatRanksFirst(t *testing.T) {
	many := func(n int) (nodes []runtime.Object) {
		for i := range n {
			cpu := "4"
			if i == 7 {
				cpu = "8"
			}
			nodes = append(nodes, aNode(fmt.Sprintf("node-%04d", i), cpu))
		}
		return nodes
	}
	nominated := func(p *corev1.Pod) { p.Status.NominatedNodeName = "a" }
	small := []runtime.Object{aNode("a", "4"), aNode("b", "8"), aNode("c", "2")}
	for _, test := range []struct {
		name   string
		e      *Engine
		pod    *corev1.Pod
		prefix string
	}{
		{"first", startEngine(t, Options{}, small...), aPod("web", "1"), "It fits 3 nodes now, highest-scoring is b."},
		{"only", startEngine(t, Options{}, small...), aPod("web", "5"), "It fits 1 node now: b."},
		{"tied", startEngine(t, Options{}, aNode("a", "4"), aNode("b", "4"), aNode("c", "2")), aPod("web", "1"), "It fits 3 nodes now, highest-scoring are a, b."},
		{"alike", startEngine(t, Options{}, aNode("a", "4"), aNode("b", "4")), aPod("web", "1"), "It fits 2 nodes now, all equal: a, b."},
		{"nominated", startEngine(t, Options{}, small...), aPod("web", "1", nominated), "It fits 3 nodes now, highest-scoring is a."},
		{"sampled", startEngine(t, Options{}, many(150)...), aPod("web", "1"), "It fits 150 nodes now, likely highest-scoring is node-0007."},
		{"too many", startEngine(t, Options{}, many(rankedUpTo+1)...), aPod("web", "1"), "It fits 1001 nodes now: node-0000, node-0001, node-0002 and 998 more."},
		{"unread", startEngineForbidding(t, Options{}, []string{"services"}, small...), aPod("web", "1"), "It fits 3 nodes now: a, b, c."},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := mustExplain(t, test.e, test.pod).Summary; !strings.HasPrefix(got, test.prefix) {
				t.Errorf("got %q, want %q", got, test.prefix)
			}
		})
	}
}
