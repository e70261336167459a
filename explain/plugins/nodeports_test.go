package plugins_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
)

func TestTheHolderOfATakenPortIsNamed(t *testing.T) {
	b := newBench([]*corev1.Node{explaintest.Node("n", "4")}, []*corev1.Pod{
		explaintest.Pod("web/a", "n", "", explaintest.HostPort("10.0.0.1", 80, "TCP"), explaintest.HostPort("", 443, "TCP")),
		explaintest.Pod("web/b", "n", "", explaintest.HostPort("10.0.0.2", 80, "")),
		explaintest.Pod("web/c", "n", "", explaintest.HostPort("", 80, "UDP")),
	})
	w := b.told(t, names.NodePorts, explaintest.Pod("shop/x", "", "", explaintest.HostPort("", 80, "TCP")), "n")
	explaintest.Same(t, w.What, "n: host port 0.0.0.0:80/TCP is in use by web/a as 10.0.0.1:80/TCP, web/b as 10.0.0.2:80/TCP")
	explaintest.Same(t, w.Short, "host port 80/TCP in use by web/a, web/b")
	w = b.told(t, names.NodePorts, explaintest.Pod("shop/x", "", "", explaintest.HostPort("10.0.0.2", 80, "TCP"), explaintest.HostPort("::1", 443, "TCP")), "n")
	explaintest.Same(t, w.What, "n: host port 10.0.0.2:80/TCP is in use by web/b; host port [::1]:443/TCP is in use by web/a as 0.0.0.0:443/TCP")
	explaintest.Same(t, w.Short, "host port 10.0.0.2:80/TCP, [::1]:443/TCP in use by web/b, web/a")
}

func TestAPodDoesNotConflictWithItself(t *testing.T) {
	pod := explaintest.Pod("shop/x", "", "", explaintest.HostPort("", 80, "TCP"), explaintest.HostPort("", 80, "TCP"))
	if _, rs := newBench([]*corev1.Node{explaintest.Node("n", "4")}, nil).rejections(t, names.NodePorts, pod); len(rs) > 0 {
		t.Errorf("%d rejections", len(rs))
	}
}

func TestAPortThatIsTakenEverywhereIsToldOnce(t *testing.T) {
	port := explaintest.HostPort("", 80, "TCP")
	b := newBench([]*corev1.Node{explaintest.Node("m", "4"), explaintest.Node("n", "4")},
		[]*corev1.Pod{explaintest.Pod("web/a", "m", "", port), explaintest.Pod("web/b", "n", "", port)})
	w := b.toldTogether(t, names.NodePorts, explaintest.Pod("shop/x", "", "", port), "m", "n")
	explaintest.Same(t, w.Short, "host port 80/TCP in use on each")
	explaintest.Same(t, strings.Join(w.Wider, "\n"), "host port 80/TCP in use; m: by web/a\nhost port 80/TCP in use; m: by web/a; n: by web/b")
	explaintest.Same(t, w.What, "m: host port 0.0.0.0:80/TCP is in use by web/a. n: host port 0.0.0.0:80/TCP is in use by web/b")
}

func TestTheWorkloadThatTakesAPortEverywhereIsNamed(t *testing.T) {
	port, agent := explaintest.HostPort("", 80, "TCP"), func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet", Name: "agent", Controller: new(true)}}
	}
	b := newBench([]*corev1.Node{explaintest.Node("m", "4"), explaintest.Node("n", "4")},
		[]*corev1.Pod{explaintest.Pod("sys/agent-1", "m", "", port, agent), explaintest.Pod("sys/agent-2", "n", "", port, agent)})
	w := b.toldTogether(t, names.NodePorts, explaintest.Pod("shop/x", "", "", port), "m", "n")
	explaintest.Same(t, w.Short, "host port 80/TCP in use on each by sys/agent")
}
