package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Nodes that are as near as others come first where the end of pods could let it in:
// of those that it does not want, no wait makes one that it wants.
func TestNodesThatThePodWantsComeBeforeThoseThatItDoesNot(t *testing.T) {
	inPool := func(name string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Labels["pool"] = name }
	}
	e := startEngine(t, Options{},
		testNode("a", "4", inPool("std")), testNode("b", "4", inPool("std")), testNode("c", "4", inPool("spot")),
		testPod("web/proxy-1", "c", "1", hostPort("", 8443, corev1.ProtocolTCP)),
		testPod("web/proxy-2", "", "1", hostPort("", 8443, corev1.ProtocolTCP), selecting("pool", "spot")),
	)
	report, err := e.Ask(t.Context(), report.Query{Target: report.PodOf("web/proxy-2"), Parts: report.Nodes})
	if err != nil {
		t.Fatal(err)
	}
	same(t, report.Why, "c: host port 8443/TCP in use by web/proxy-1")
	if len(report.Groups) != 2 || report.Groups[1].Count != 2 {
		t.Errorf("got %+v", report.Groups)
	}
}

func TestNodesThatAreTooSmallComeAfterThoseThatAreOnlyFull(t *testing.T) {
	pod := testPod("shop/x", "", "3")
	e := startEngine(t, Options{}, testNode("full", "4"), testPod("shop/y", "full", "3900m"), testNode("small", "2900m"), pod)
	r := mustExplain(t, e, pod)
	if len(r.Groups) != 2 || r.Groups[0].Nodes[0] != "full" {
		t.Errorf("a node that never fits the pod is the closest: %+v", r.Groups)
	}
}
