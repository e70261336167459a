package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
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

func selecting(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeSelector = orEmptyMap(p.Spec.NodeSelector)
		p.Spec.NodeSelector[key] = value
	}
}

func orEmptyMap(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func TestEachUnmetWishIsToldWithWhatTheNodeHas(t *testing.T) {
	node := testNode("std-a-01", "4", nodeLabel("disktype", "hdd"), nodeLabel("zone", "c"), nodeLabel("cores", "4"))
	for name, c := range map[string]struct {
		pod         func(*corev1.Pod)
		what, short string
	}{
		"another value": {
			selecting("disktype", "ssd"),
			"nodeSelector wants disktype=ssd, has disktype=hdd", "wants disktype=ssd, has hdd",
		},
		"no label": {
			selecting("gpu", "yes"),
			"nodeSelector wants gpu=yes, has no label gpu", "wants gpu=yes, no label",
		},
		"two pairs, one of them unmet, and a line": {
			func(p *corev1.Pod) {
				selecting("disktype", "ssd")(p)
				selecting("zone", "c")(p)
				nodeSelectorTerms(term(line("zone", "In", "a", "b")))(p)
			},
			"nodeSelector wants disktype=ssd, has disktype=hdd; node affinity wants zone in (a, b), has zone=c",
			"wants disktype=ssd and zone in (a, b)",
		},
		"terms are alternatives": {
			nodeSelectorTerms(term(line("zone", "In", "a"), line("disktype", "Exists")), term(line("zone", "NotIn", "c"), line("gpu", "Exists"))),
			"node affinity term 1 of 2 wants zone=a, has zone=c; node affinity term 2 of 2 wants zone!=c, has zone=c and wants a label gpu, has no label gpu",
			"wants zone=a or zone!=c and a label gpu",
		},
		"greater":  {nodeSelectorTerms(term(line("cores", "Gt", "8"))), "node affinity wants cores > 8, has cores=4", "wants cores > 8, has 4"},
		"less":     {nodeSelectorTerms(term(line("cores", "Lt", "4"))), "node affinity wants cores < 4, has cores=4", "wants cores < 4, has 4"},
		"not in":   {nodeSelectorTerms(term(line("zone", "NotIn", "b", "c"))), "node affinity wants zone not in (b, c), has zone=c", "wants zone not in (b, c), has c"},
		"not":      {nodeSelectorTerms(term(line("zone", "DoesNotExist"))), "node affinity wants no label zone, has zone=c", "wants no label zone, has c"},
		"a field":  {nodeSelectorTerms(fieldTerm(line(metav1.ObjectNameField, "In", "std-b-01"))), "node affinity wants metadata.name=std-b-01, has metadata.name=std-a-01", "wants metadata.name=std-b-01, has std-a-01"},
		"no term":  {nodeSelectorTerms(corev1.NodeSelectorTerm{}), "node affinity is empty and matches no node", "wants nothing (an empty term)"},
		"unusable": {nodeSelectorTerms(term(line("cores", "Gt", "many"))), "", "wants cores > many, has 4"},
	} {
		w := newBench([]*corev1.Node{node}, nil).told(t, names.NodeAffinity, testPod("shop/x", "", "", c.pod), "std-a-01")
		if c.what != "" && w.What != "std-a-01: "+c.what || w.Short != c.short {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, w.What, w.Short, c.what, c.short)
		}
	}
}

func TestNodesThatMissTheSameAreCountedByWhatTheyHave(t *testing.T) {
	hdd := nodeLabel("disktype", "hdd")
	b := newBench([]*corev1.Node{testNode("a", "4", hdd), testNode("b", "4"), testNode("c", "4", hdd), testNode("d", "4", nodeLabel("disktype", "tape"))}, nil)
	w := b.toldTogether(t, names.NodeAffinity, testPod("shop/x", "", "", selecting("disktype", "ssd")), "a", "b", "c", "d")
	same(t, w.Short, "wants disktype=ssd: 2 have hdd, 1 has tape, 1 no label")
	same(t, w.What, "a, c: nodeSelector wants disktype=ssd, has disktype=hdd. b: nodeSelector wants disktype=ssd, has no label disktype. "+
		"d: nodeSelector wants disktype=ssd, has disktype=tape")
}

func TestAnAffinityToTwoNodesAtOnceIsToldForAllNodes(t *testing.T) {
	pod := testPod("shop/x", "", "", nodeSelectorTerms(fieldTerm(line(metav1.ObjectNameField, "In", "a"), line(metav1.ObjectNameField, "In", "b"))))
	w := newBench([]*corev1.Node{testNode("a", "4")}, nil).told(t, names.NodeAffinity, pod, "")
	same(t, w.What, "pod affinity terms conflict: every term asks for one node by different names: metadata.name=a and metadata.name=b")
	same(t, w.Short, "affinity asks for two nodes at once")
}
