package explain

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

func TestPlainShortagesAreThoseOfFits(t *testing.T) {
	compared := 0
	for seed := range uint64(10) {
		d := dice(rand.New(rand.NewPCG(seed, 4)).IntN)
		c := newRandomCluster(d, 8, 40, 10)
		e := startEngine(t, Options{}, c.Objects()...)
		nodes, err := e.scheduler.State.NodeInfos().List()
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range c.Pending {
			table := plugins.ShortageTableOf(e.begin(t.Context(), pod).question)
			if len(table.Wanted.GetScalarResources()) > 0 {
				continue
			}
			for _, node := range nodes {
				compared++
				if diff := cmp.Diff(table.Fits(pod, node), table.Plain(node), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("seed %d, %s on %s:\n%s", seed, pod.Name, node.Node().Name, diff)
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d nodes were compared", compared)
	}
}
