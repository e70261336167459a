package explain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

func TestTheHolderOfATakenPortIsNamed(t *testing.T) {
	b := newBench([]*corev1.Node{testNode("n", "4")}, []*corev1.Pod{
		testPod("web/a", "n", "", hostPort("10.0.0.1", 80, "TCP"), hostPort("", 443, "TCP")),
		testPod("web/b", "n", "", hostPort("10.0.0.2", 80, "")),
		testPod("web/c", "n", "", hostPort("", 80, "UDP")),
	})
	w := b.told(t, names.NodePorts, testPod("shop/x", "", "", hostPort("", 80, "TCP")), "n")
	same(t, w.What, "n: host port 0.0.0.0:80/TCP is in use by web/a as 10.0.0.1:80/TCP, web/b as 10.0.0.2:80/TCP")
	same(t, w.Short, "host port 80/TCP in use by web/a, web/b")
	w = b.told(t, names.NodePorts, testPod("shop/x", "", "", hostPort("10.0.0.2", 80, "TCP"), hostPort("::1", 443, "TCP")), "n")
	same(t, w.What, "n: host port 10.0.0.2:80/TCP is in use by web/b; host port [::1]:443/TCP is in use by web/a as 0.0.0.0:443/TCP")
	same(t, w.Short, "host port 10.0.0.2:80/TCP, [::1]:443/TCP in use by web/b, web/a")
}

func TestAPodDoesNotConflictWithItself(t *testing.T) {
	pod := testPod("shop/x", "", "", hostPort("", 80, "TCP"), hostPort("", 80, "TCP"))
	if _, rs := newBench([]*corev1.Node{testNode("n", "4")}, nil).refusals(t, names.NodePorts, pod); len(rs) > 0 {
		t.Errorf("%d refusals", len(rs))
	}
}

func TestAPortThatIsTakenEverywhereIsToldOnce(t *testing.T) {
	port := hostPort("", 80, "TCP")
	b := newBench([]*corev1.Node{testNode("m", "4"), testNode("n", "4")},
		[]*corev1.Pod{testPod("web/a", "m", "", port), testPod("web/b", "n", "", port)})
	w := b.toldTogether(t, names.NodePorts, testPod("shop/x", "", "", port), "m", "n")
	same(t, w.Short, "host port 80/TCP in use on each")
	same(t, strings.Join(w.Wider, "\n"), "host port 80/TCP in use; m: by web/a\nhost port 80/TCP in use; m: by web/a; n: by web/b")
	same(t, w.What, "m: host port 0.0.0.0:80/TCP is in use by web/a. n: host port 0.0.0.0:80/TCP is in use by web/b")
}
