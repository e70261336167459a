package plugins_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

func spreads() *bench {
	zone := func(name string) func(*corev1.Node) { return explaintest.NodeLabel("zone", name) }
	web := explaintest.PodLabel("app", "web")
	return newBench(
		[]*corev1.Node{explaintest.Node("a-1", "4", zone("a")), explaintest.Node("b-1", "4", zone("b")), explaintest.Node("b-2", "4", zone("b")), explaintest.Node("none", "4")},
		[]*corev1.Pod{
			explaintest.Pod("shop/1", "a-1", "", web), explaintest.Pod("shop/2", "b-1", "", web), explaintest.Pod("shop/3", "b-2", "", web),
			explaintest.Pod("shop/other", "a-1", "", explaintest.PodLabel("app", "db")), explaintest.Pod("web/elsewhere", "a-1", "", web),
		},
	)
}

func TestSpreadTellsTheCountsThatThePluginCompared(t *testing.T) {
	pod := explaintest.Pod("shop/x", "", "", explaintest.PodLabel("app", "web"), explaintest.SpreadOver("zone", 1, nil, "web"))
	w := spreads().told(t, names.PodTopologySpread, pod, "b-1")
	explaintest.Same(t, w.What, "b-1: topology spread constraint on zone: 2 pods match app=web in zone=b, the minimum is 1 in a; with this pod the skew is 2, maxSkew is 1")
	explaintest.Same(t, w.Short, "zone skew 2, maxSkew 1: b has 2, minimum 1")
	w = spreads().told(t, names.PodTopologySpread, pod, "none")
	explaintest.Same(t, w.What, "none: the node has no label zone, which a topology spread constraint requires")
	explaintest.Same(t, w.Short, "no label zone")
	w = spreads().toldTogether(t, names.PodTopologySpread, pod, "b-1", "b-2")
	explaintest.Same(t, w.Short, "zone skew 2, maxSkew 1")
}

func TestSpreadSaysWhenMinDomainsMakesTheFewestZero(t *testing.T) {
	pod := explaintest.Pod("shop/x", "", "", explaintest.PodLabel("app", "web"), explaintest.SpreadOver("zone", 1, new(int32(3)), "web"))
	w := spreads().told(t, names.PodTopologySpread, pod, "a-1")
	explaintest.Same(t, w.What, "a-1: topology spread constraint on zone: 1 pod matches app=web in zone=a, the minimum counts as 0 because there are 2 domains and minDomains is 3; "+
		"with this pod the skew is 2, maxSkew is 1")
}

func TestSpreadSaysWhenThePodIsNotOneOfThoseItSpreads(t *testing.T) {
	b := spreads()
	pod := explaintest.Pod("shop/x", "", "", explaintest.PodLabel("app", "db"), explaintest.SpreadOver(corev1.LabelHostname, 1, nil, "web"), explaintest.SpreadOver("zone", 1, new(int32(3)), "web"))
	w := b.told(t, names.PodTopologySpread, pod, "b-1")
	explaintest.Same(t, w.What, "b-1: topology spread constraint on zone: 2 pods match app=web in zone=b, the minimum counts as 0 because there are 2 domains and minDomains is 3; "+
		"this pod itself does not match the selector, and the skew is 2, maxSkew is 1")
}

func TestSpreadCountsNominatedPods(t *testing.T) {
	web := explaintest.PodLabel("app", "web")
	b := newBench([]*corev1.Node{explaintest.Node("a", "4"), explaintest.Node("b", "4")}, []*corev1.Pod{explaintest.Pod("shop/first", "", "", web, explaintest.NominatedTo("a"))})
	pod := explaintest.Pod("shop/x", "", "", web, explaintest.SpreadOver(corev1.LabelHostname, 1, nil, "web"))
	w := b.told(t, names.PodTopologySpread, pod, "a")
	explaintest.Same(t, w.What, "a: topology spread constraint on kubernetes.io/hostname: 1 pod matches app=web in kubernetes.io/hostname=a, the minimum is 0 in b; "+
		"with this pod the skew is 2, maxSkew is 1 (counting shop/first, nominated to it)")
}

// TestThePluginsStateIsStillReadable notices when a newer scheduler keeps its
// counts in another shape.
func TestThePluginsStateIsStillReadable(t *testing.T) {
	_, rs := spreads().rejections(t, names.PodTopologySpread, explaintest.Pod("shop/x", "", "", explaintest.PodLabel("app", "web"), explaintest.SpreadOver("zone", 1, new(int32(2)), "web")))
	read := plugins.ReadSpreads(rs[0].State)
	if len(read) != 1 {
		t.Fatalf("%d constraints were read", len(read))
	}
	one := read[0]
	if one.Key != "zone" || one.MaxSkew != 1 || one.MinDomains != 2 || one.Fewest != 1 || one.Counts["b"] != 2 || one.Selector.String() != "app=web" {
		t.Errorf("%+v", one)
	}
}

// oddState is what a plugin's state might become.
type oddState struct{ Constraints string }

func (oddState) Clone() fwk.StateData { return oddState{} }

func TestAnUnreadableStateLeavesThePluginsOwnReason(t *testing.T) {
	q, rs := spreads().rejections(t, names.PodTopologySpread, explaintest.Pod("shop/x", "", "", explaintest.PodLabel("app", "web"), explaintest.SpreadOver("zone", 1, nil, "web")))
	for _, data := range []fwk.StateData{oddState{}, &oddState{"zone"}} {
		r := rs[0]
		r.State = framework.NewCycleState()
		r.State.Write(plugins.SpreadKey, data)
		w := plugins.PodTopologySpread.Words(q, []plugins.NodeRejection{r})
		explaintest.Same(t, w.What, r.Name()+": "+r.OwnReason())
	}
}
