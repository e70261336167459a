package warnings

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// lost is a node of a zone that is NotReady for so long; 0 is Ready.
func lost(name, zone string, since time.Duration) *corev1.Node {
	node := modeltest.NewNode(name, zone, "8", "32Gi")
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
	if since > 0 {
		ready.Status, ready.LastTransitionTime = corev1.ConditionUnknown, metav1.NewTime(modeltest.Epoch.Add(-since))
	}
	node.Status.Conditions = []corev1.NodeCondition{ready}
	return node
}

// pressed is a Ready node that has reported a condition for so long.
func pressed(name string, condition corev1.NodeConditionType, since time.Duration) *corev1.Node {
	node := lost(name, "a", 0)
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
		Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(modeltest.Epoch.Add(-since)),
	})
	return node
}

func TestFailedNodesComeFirstWhileTheyAreNews(t *testing.T) {
	const soon, late = 16 * time.Second, 20 * time.Minute
	for _, test := range []struct {
		name  string
		nodes []*corev1.Node
		want  string
	}{
		{"all are Ready", []*corev1.Node{lost("a-1", "a", 0), lost("b-1", "b", 0)}, ""},
		{"one has just failed", []*corev1.Node{lost("a-1", "a", soon), lost("a-2", "a", 0)}, "a-1 NotReady for 16s."},
		{"one failed long ago", []*corev1.Node{lost("a-1", "a", late), lost("a-2", "a", 0)}, ""},
		{"two have just failed", []*corev1.Node{lost("a-1", "a", soon), lost("b-1", "b", soon), lost("a-2", "a", 0), lost("b-2", "b", 0)}, "2 nodes became NotReady."},
		{"a zone is lost", []*corev1.Node{lost("a-1", "a", late), lost("a-2", "a", late), lost("b-1", "b", 0)}, "Zone a: all 2 nodes NotReady for 20m."},
		{"the only node of a zone is no zone", []*corev1.Node{lost("a-1", "a", late), lost("b-1", "b", 0)}, ""},
		{"two zones are lost", []*corev1.Node{lost("a-1", "a", late), lost("a-2", "a", late), lost("b-1", "b", late), lost("b-2", "b", late), lost("c-1", "c", 0)}, "2 zones have no Ready node."},
		{"every node is lost, none with a zone", []*corev1.Node{lost("a-1", "", late), lost("a-2", "", late)}, "All 2 nodes are NotReady."},
		{"every node is lost, each of its own zone", []*corev1.Node{lost("a-1", "a", late), lost("b-1", "b", late)}, "All 2 nodes are NotReady."},
		{"one has just come under pressure", []*corev1.Node{pressed("a-1", "MemoryPressure", soon), lost("a-2", "a", 0)}, "a-1 MemoryPressure for 16s."},
		{"one is under pressure for long", []*corev1.Node{pressed("a-1", "MemoryPressure", late), lost("a-2", "a", 0)}, ""},
		{"two have the same pressure", []*corev1.Node{pressed("a-1", "DiskPressure", soon), pressed("a-2", "DiskPressure", soon)}, "2 nodes report DiskPressure."},
		{"two have pressure of two kinds", []*corev1.Node{pressed("a-1", "DiskPressure", soon), pressed("a-2", "PIDPressure", soon)}, "2 nodes report pressure."},
		{"a node that fails comes before pressure", []*corev1.Node{pressed("a-1", "DiskPressure", soon), lost("a-2", "a", soon)}, "a-2 NotReady for 16s."},
		{"every node is lost", []*corev1.Node{lost("a-1", "a", late), lost("a-2", "a", late)}, "All 2 nodes are NotReady."},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := model.NewBuilder()
			for _, node := range test.nodes {
				b.Node(nil, node)
			}
			if got := Failing(b.Build(1, model.Status{}, nil), modeltest.Epoch, func(name string) string { return name }); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
