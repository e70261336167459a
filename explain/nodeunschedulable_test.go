package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

func TestACordonIsNamed(t *testing.T) {
	node := testNode("spot-a-01", "4", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	w := newBench([]*corev1.Node{node}, nil).told(t, names.NodeUnschedulable, testPod("shop/x", "", ""), "spot-a-01")
	same(t, w.What, "spot-a-01 is cordoned (spec.unschedulable), and the pod does not tolerate node.kubernetes.io/unschedulable:NoSchedule")
	same(t, w.Short, "cordoned")
}
