package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"
)

// victimsWith dry-runs preemption on every node with that state: a line for each
// node, with who would go there or why it does not help.
func victimsWith(t *rapid.T, e *Engine, pod *corev1.Pod, state fwk.CycleState, nodes []fwk.NodeInfo) string {
	budgets := must(e.budgets.Lister.List(labels.Everything()))
	var lines []string
	for _, node := range nodes {
		found, statuses, err := e.scheduler.Profile(&corev1.Pod{}).Preemption.Evaluator.DryRunPreemption(t.Context(), state, pod, []fwk.NodeInfo{node}, budgets, 0, 1)
		line := fmt.Sprintf("%s: %v %v", node.Node().Name, err, statuses.Get(node.Node().Name).Reasons())
		for _, candidate := range found {
			line += fmt.Sprintf(" %d broken:", candidate.Victims().NumPDBViolations)
			for _, victim := range candidate.Victims().Pods {
				line += " " + victim.Name
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestNodesAreTriedAsWithACopyOfAllState holds what one node is tried with
// against upstream's copy of everything that plugins have counted.
func TestNodesAreTriedAsWithACopyOfAllState(t *testing.T) {
	shared := 0
	rapid.Check(t, func(r *rapid.T) {
		c := newRandomCluster(drawn(r), 8, 40, 12)
		for _, pod := range c.Pending {
			pod.Spec.Priority = new(int32(500))
		}
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			m := must(e.scheduler.Profile(pod).Evaluate(r.Context(), pod))
			state := m.TryingState(m.Profile.Question(pod))
			if state != fwk.CycleState(m.State) {
				shared++
			}
			own, copied := victimsWith(r, e, pod, state, m.Nodes), victimsWith(r, e, pod, m.State, m.Nodes)
			if own != copied {
				r.Fatalf("%s\n%s\ninstead of\n%s", pod.Name, own, copied)
			}
			if again := victimsWith(r, e, pod, m.State, m.Nodes); again != copied {
				r.Fatalf("trying nodes for %s has changed the state:\n%s\ninstead of\n%s", pod.Name, again, copied)
			}
		}
	})
	if shared == 0 {
		t.Error("no pod was tried without a copy of all state")
	}
}

func BenchmarkTryNodes(b *testing.B) {
	e, _ := benchEngine(b, 5000)
	for _, kind := range benchKinds {
		pod := aPod("preempts", "8", priority(600), kind.option)
		m := must(e.scheduler.Profile(pod).Evaluate(b.Context(), pod))
		for name, state := range map[string]fwk.CycleState{"copied": m.State, "shared": m.TryingState(m.Profile.Question(pod))} {
			b.Run(kind.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, _, err := e.scheduler.Profile(&corev1.Pod{}).Preemption.Evaluator.DryRunPreemption(b.Context(), state, pod, m.Nodes[:500], nil, 0, 500); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
