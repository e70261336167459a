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
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			m := must(e.scheduler.Profile(pod).Evaluate(t.Context(), pod))
			few, all := m.Profile.Question(pod), m.Profile.Question(pod)
			few.Column = m.Column()
			for k, p := range m.Profile.Plugins {
				for i := range m.Nodes {
					if p.Name != names.InterPodAffinity || m.Answers[k].Pre != nil || m.Rejects(k, i) == nil {
						continue
					}
					compared++
					r := m.Rejection(k, i)
					if diff := cmp.Diff(plugins.InterPodAffinity.Words(all, []plugins.NodeRejection{r}), plugins.InterPodAffinity.Words(few, []plugins.NodeRejection{r})); diff != "" {
						t.Errorf("seed %d, %s on %s:\n%s", seed, pod.Name, r.Name(), diff)
					}
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d rejections were compared", compared)
	}
}
