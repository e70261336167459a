package plugins_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
)

func line(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func term(lines ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: lines}
}

func fieldTerm(lines ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchFields: lines}
}

func TestEachUnmetWishIsToldWithWhatTheNodeHas(t *testing.T) {
	node := explaintest.Node("std-a-01", "4", explaintest.NodeLabel("disktype", "hdd"), explaintest.NodeLabel("zone", "c"), explaintest.NodeLabel("cores", "4"))
	for name, c := range map[string]struct {
		pod         func(*corev1.Pod)
		what, short string
	}{
		"another value": {
			explaintest.Selecting("disktype", "ssd"),
			"node selector requires disktype=ssd, the node has disktype=hdd", "node selector disktype=ssd, has hdd",
		},
		"no label": {
			explaintest.Selecting("gpu", "yes"),
			"node selector requires gpu=yes, the node has no label gpu", "node selector gpu=yes, has no label",
		},
		"two pairs, one of them unmet, and a line": {
			func(p *corev1.Pod) {
				explaintest.Selecting("disktype", "ssd")(p)
				explaintest.Selecting("zone", "c")(p)
				explaintest.NodeSelectorTerms(term(line("zone", "In", "a", "b")))(p)
			},
			"node selector requires disktype=ssd, the node has disktype=hdd; node affinity requires zone in (a, b), the node has zone=c",
			"node selector and affinity disktype=ssd and zone in (a, b)",
		},
		"terms are alternatives": {
			explaintest.NodeSelectorTerms(term(line("zone", "In", "a"), line("disktype", "Exists")), term(line("zone", "NotIn", "c"), line("gpu", "Exists"))),
			"node affinity term 1 of 2 requires zone=a, the node has zone=c; node affinity term 2 of 2 requires zone!=c, the node has zone=c and requires label gpu, the node has no label gpu",
			"node affinity zone=a or zone!=c and label gpu",
		},
		"greater": {explaintest.NodeSelectorTerms(term(line("cores", "Gt", "8"))), "node affinity requires cores > 8, the node has cores=4", "node affinity cores > 8, has 4"},
		"less":    {explaintest.NodeSelectorTerms(term(line("cores", "Lt", "4"))), "node affinity requires cores < 4, the node has cores=4", "node affinity cores < 4, has 4"},
		"not in":  {explaintest.NodeSelectorTerms(term(line("zone", "NotIn", "b", "c"))), "node affinity requires zone not in (b, c), the node has zone=c", "node affinity zone not in (b, c), has c"},
		"not":     {explaintest.NodeSelectorTerms(term(line("zone", "DoesNotExist"))), "node affinity requires no label zone, the node has zone=c", "node affinity no label zone, has c"},
		"a field": {explaintest.NodeSelectorTerms(fieldTerm(line(metav1.ObjectNameField, "In", "std-b-01"))), "node affinity requires metadata.name=std-b-01, the node has metadata.name=std-a-01", "node affinity metadata.name=std-b-01, has std-a-01"},
		"no term": {explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{}), "node affinity is empty and matches no node", "node affinity is empty and matches no node"},
		"an empty term beside another": {
			explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{}, term(line("zone", "In", "a"))),
			"node affinity term 1 of 2 is empty and matches no node; node affinity term 2 of 2 requires zone=a, the node has zone=c", "node affinity zone=a",
		},
		"an empty term beside a node selector": {
			func(p *corev1.Pod) {
				explaintest.Selecting("disktype", "ssd")(p)
				explaintest.NodeSelectorTerms(corev1.NodeSelectorTerm{})(p)
			},
			"node selector requires disktype=ssd, the node has disktype=hdd; node affinity is empty and matches no node", "node selector and affinity disktype=ssd and an empty term",
		},
		"unusable": {explaintest.NodeSelectorTerms(term(line("cores", "Gt", "many"))), "", "node affinity cores > many, has 4"},
	} {
		w := newBench([]*corev1.Node{node}, nil).told(t, names.NodeAffinity, explaintest.Pod("shop/x", "", "", c.pod), "std-a-01")
		if c.what != "" && w.What != "std-a-01: "+c.what || w.Short != c.short {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, w.What, w.Short, c.what, c.short)
		}
	}
}

func TestNodesThatMissTheSameAreCountedByWhatTheyHave(t *testing.T) {
	hdd := explaintest.NodeLabel("disktype", "hdd")
	b := newBench([]*corev1.Node{explaintest.Node("a", "4", hdd), explaintest.Node("b", "4"), explaintest.Node("c", "4", hdd), explaintest.Node("d", "4", explaintest.NodeLabel("disktype", "tape"))}, nil)
	w := b.toldTogether(t, names.NodeAffinity, explaintest.Pod("shop/x", "", "", explaintest.Selecting("disktype", "ssd")), "a", "b", "c", "d")
	explaintest.Same(t, w.Short, "node selector disktype=ssd: 2 have hdd, 1 has tape, 1 has no label")
	explaintest.Same(t, w.What, "a, c: node selector requires disktype=ssd, the node has disktype=hdd. b: node selector requires disktype=ssd, the node has no label disktype. "+
		"d: node selector requires disktype=ssd, the node has disktype=tape")
}

func TestALabelThatNoNodeHasIsToldAsSuch(t *testing.T) {
	selecting := explaintest.Pod("shop/x", "", "", explaintest.Selecting("disktype", "ssd"))
	nodes := []*corev1.Node{explaintest.Node("a", "4"), explaintest.Node("b", "4"), explaintest.Node("c", "4")}
	explaintest.Same(t, newBench(nodes, nil).toldTogether(t, names.NodeAffinity, selecting, "a", "b").Short, "node selector disktype=ssd: no node has the label")
	nodes[2].Labels["disktype"] = "hdd" // not in the group
	explaintest.Same(t, newBench(nodes, nil).toldTogether(t, names.NodeAffinity, selecting, "a", "b").Short, "node selector disktype=ssd: 2 have no label")
}

func TestAnAffinityToTwoNodesAtOnceIsToldForAllNodes(t *testing.T) {
	pod := explaintest.Pod("shop/x", "", "", explaintest.NodeSelectorTerms(fieldTerm(line(metav1.ObjectNameField, "In", "a"), line(metav1.ObjectNameField, "In", "b"))))
	w := newBench([]*corev1.Node{explaintest.Node("a", "4")}, nil).told(t, names.NodeAffinity, pod, "")
	explaintest.Same(t, w.What, "pod affinity terms conflict: each term requires one node with different names: metadata.name=a and metadata.name=b")
	explaintest.Same(t, w.Short, "node affinity requires two nodes at once")
}
