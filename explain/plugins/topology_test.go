package plugins_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// topologies are those of a plugin, and the nodes that it rejects without nominated pods;
// false where it rejects none, or the pod before any node.
func (b *bench) topologies(t testing.TB, name string, pod *corev1.Pod) (all []report.Topology, rejected map[string]bool, ok bool) {
	t.Helper()
	b.nominated = nil
	q, rs := b.rejections(t, name, pod)
	if len(rs) == 0 || rs[0].Node == nil {
		return nil, nil, false
	}
	rejected = map[string]bool{}
	for _, r := range rs {
		rejected[r.Name()] = true
	}
	return plugins.Topologies(q, name, rs[0].State), rejected, true
}

// drawnToReject says whether the domains that a node is in are drawn as rejecting.
func drawnToReject(all []report.Topology, node *corev1.Node) bool {
	for i := range all {
		name, ok := node.Labels[all[i].Key]
		if !ok && all[i].Unlabelled > 0 {
			return true
		}
		if d, found := all[i].On(name); ok && found && d.Rejects {
			return true
		}
	}
	return false
}

func TestADomainRejectsExactlyWhereThePluginRejectsItsNodes(t *testing.T) {
	for _, name := range []string{names.PodTopologySpread, names.InterPodAffinity} {
		t.Run(name, func(t *testing.T) {
			var no, yes int
			rapid.Check(t, func(rt *rapid.T) {
				b, pod := anyBench(rt)
				if name == names.PodTopologySpread && len(pod.Spec.TopologySpreadConstraints) == 0 {
					explaintest.SpreadOver(rapid.SampledFrom([]string{"zone", corev1.LabelHostname}).Draw(rt, "key"), 1, nil, "a")(pod)
				}
				if rapid.Bool().Draw(rt, "another constraint") {
					explaintest.SpreadOver(corev1.LabelHostname, 2, new(int32(2)), "b")(pod)
				}
				if len(pod.Spec.TopologySpreadConstraints) > 0 && rapid.Bool().Draw(rt, "honor taints") {
					pod.Spec.TopologySpreadConstraints[0].NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
				}
				all, rejected, ok := b.topologies(t, name, pod)
				if !ok {
					return
				}
				nodes, err := b.nodes.NodeInfos().List()
				if err != nil {
					rt.Fatal(err)
				}
				for _, info := range nodes {
					node := info.Node()
					if got := drawnToReject(all, node); got != rejected[node.Name] {
						rt.Fatalf("%s is drawn to reject: %v, the plugin rejects: %v\n%+v", node.Name, got, rejected[node.Name], all)
					}
					if rejected[node.Name] {
						yes++
					} else {
						no++
					}
				}
			})
			if yes == 0 || no == 0 {
				t.Errorf("%d nodes were rejected, %d were not", yes, no)
			}
		})
	}
}

func TestTheDomainsOfASpreadSayWhichCountAndWhichDoNot(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return explaintest.NodeLabel("zone", name) }
	web := explaintest.PodLabel("app", "web")
	b := newBench(
		[]*corev1.Node{
			explaintest.Node("a-1", "4", zone("a"), explaintest.NodeLabel("disktype", "ssd")), explaintest.Node("b-1", "4", zone("b"), explaintest.NodeLabel("disktype", "ssd")),
			explaintest.Node("b-2", "4", zone("b")), explaintest.Node("c-1", "4", zone("c")), explaintest.Node("none", "4"),
		},
		[]*corev1.Pod{explaintest.Pod("shop/1", "b-1", "", web), explaintest.Pod("shop/2", "c-1", "", web)},
	)
	pod := explaintest.Pod("shop/x", "", "", web, explaintest.SpreadOver("zone", 1, nil, "web"))
	pod.Spec.NodeSelector = map[string]string{"disktype": "ssd"}
	all, _, _ := b.topologies(t, names.PodTopologySpread, pod)
	if len(all) != 1 || len(all[0].Domains) != 3 || all[0].Unlabelled != 1 {
		t.Fatalf("%+v", all)
	}
	explaintest.Same(t, all[0].Title(false), "topology spread of app=web by zone: maxSkew 1, minimum 0, 1 of 3 domains exceeds it")
	for i, want := range []string{"✗ b 1: skew 2", "✓ a 0: skew 1", "· c 0: not eligible: node selector or affinity rejects it"} {
		d := &all[0].Domains[i]
		explaintest.Same(t, d.Mark()+" "+d.Name+" "+string(rune('0'+d.Pods))+": "+all[0].Words(d), want)
	}
}

func TestTheDomainsOfAnAntiAffinityNameThePodsThatTookThem(t *testing.T) {
	web := explaintest.PodLabel("app", "web")
	away := explaintest.AwayFrom(explaintest.PodTerm(corev1.LabelHostname, "web"))
	b := newBench(
		[]*corev1.Node{explaintest.Node("a", "4"), explaintest.Node("b", "4"), explaintest.Node("c", "4")},
		[]*corev1.Pod{explaintest.Pod("shop/1", "a", "", web, away), explaintest.Pod("shop/2", "b", "", web, away)},
	)
	all, _, _ := b.topologies(t, names.InterPodAffinity, explaintest.Pod("shop/x", "", "", web, away))
	if len(all) != 1 {
		t.Fatalf("replicas that exclude each other make %d rules: %+v", len(all), all)
	}
	explaintest.Same(t, all[0].Title(false), "pod anti-affinity to app=web by hostname: 2 of 3 domains taken")
	for i, want := range []string{"✗ a: shop/1", "✗ b: shop/2", "✓ c: free"} {
		d := &all[0].Domains[i]
		explaintest.Same(t, d.Mark()+" "+d.Name+": "+all[0].Words(d), want)
	}
}
