package explain

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// TestNeighborsAreMetOnRefusedNodesOnly holds the pods met on the nodes that the
// plugin refuses against those met on all nodes.
func TestNeighborsAreMetOnRefusedNodesOnly(t *testing.T) {
	compared := 0
	for seed := range uint64(15) {
		d := dice(rand.New(rand.NewPCG(seed, 6)).IntN)
		c := newRandomCluster(d, 8, 40, 15)
		e := startEngine(t, Options{}, c.objects()...)
		for _, pod := range c.pending {
			e.choose(pod)
			m := must(e.ask(t.Context(), pod))
			few, all := e.question(pod), e.question(pod)
			few.Column = m.columnOf(e.plugins)
			for k, p := range e.plugins {
				for i := range m.nodes {
					if p.name != names.InterPodAffinity || m.answers[k].pre != nil || m.refuses(k, i) == nil {
						continue
					}
					compared++
					r := m.refused(e, k, i)
					if diff := cmp.Diff(plugins.InterPodAffinity.Words(all.Question, []plugins.Refused{r}), plugins.InterPodAffinity.Words(few.Question, []plugins.Refused{r})); diff != "" {
						t.Errorf("seed %d, %s on %s:\n%s", seed, pod.Name, r.Name(), diff)
					}
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d refusals were compared", compared)
	}
}
