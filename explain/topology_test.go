package explain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// TestTheTopologyOfAReportRejectsWhereItsNodesSaySo holds the domains of a report against
// its answers for nodes, in random clusters in which no pod is nominated.
func TestTheTopologyOfAReportRejectsWhereItsNodesSaySo(t *testing.T) {
	rejected := map[string]int{}
	for seed := range uint64(20) {
		c := newRandomCluster(explaintest.Seeded(seed), 8, 40, 15)
		for _, pod := range c.Pending {
			pod.Status.NominatedNodeName = ""
		}
		labels := map[string]map[string]string{}
		for _, node := range c.Nodes {
			labels[node.Name] = node.Labels
		}
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			r := mustExplain(t, e, pod)
			for _, node := range r.Nodes {
				for plugin, drawn := range drawnToReject(r, labels[node.Name]) {
					said := (&report.Group{Rejections: node.Rejections}).Rejects(plugin)
					if said != drawn {
						t.Errorf("seed %d, %s on %s: %s rejects: %v, drawn: %v\n%+v", seed, pod.Name, node.Name, plugin, said, drawn, r.Topology)
					}
					if said {
						rejected[plugin]++
					}
				}
			}
		}
	}
	if rejected[names.PodTopologySpread] < 20 || rejected[names.InterPodAffinity] < 20 {
		t.Errorf("too few rejections were compared: %v", rejected)
	}
}

// drawnToReject says of both plugins whether a domain of a node with these labels rejects.
func drawnToReject(r *report.Report, labels map[string]string) map[string]bool {
	found := map[string]bool{names.PodTopologySpread: false, names.InterPodAffinity: false}
	for i := range r.Topology {
		t := &r.Topology[i]
		plugin := names.InterPodAffinity
		if t.Rule == report.SpreadRule {
			plugin = names.PodTopologySpread
		}
		name, ok := labels[t.Key]
		d, there := t.On(name)
		if !ok && t.Unlabelled > 0 || ok && there && d.Rejects {
			found[plugin] = true
		}
	}
	return found
}

func TestVerboseTextHasATableOfTheDomains(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return explaintest.NodeLabel(corev1.LabelTopologyZone, name) }
	web := explaintest.PodLabel("app", "web")
	e := startEngine(t, Options{},
		testNode("a-1", "4", zone("a")), testNode("b-1", "4", zone("b")), testNode("c-1", "1", zone("c")),
		testPod("shop/1", "a-1", "1", web), testPod("shop/2", "a-1", "1", web), testPod("shop/3", "b-1", "1", web),
		testPod("shop/x", "", "2", web, spreadOver(corev1.LabelTopologyZone, 1, nil, "web")),
	)
	r := mustExplain(t, e, e.scheduler.State.Pods["shop/x"])
	const want = `Topology spread of app=web by zone: maxSkew 1, minimum 0, 2 of 3 domains exceed it
DOMAIN  NODES  PODS              WHY
✗ b         1     1  █████·····  skew 2
✗ a         1     2  ██████████  skew 3
✓ c         1     0  ··········  skew 1
`
	if text := report.Text(r, 100, report.TextOptions{Verbose: true, Now: testNow}); !strings.Contains(text, want) {
		t.Errorf("it lacks\n%s\n%s", want, text)
	}
	if text := report.Text(r, 100, report.TextOptions{Now: testNow}); strings.Contains(text, "DOMAIN") {
		t.Errorf("a first look has it too:\n%s", text)
	}
}
