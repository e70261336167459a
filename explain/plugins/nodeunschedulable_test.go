package plugins_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
)

func TestACordonIsNamed(t *testing.T) {
	node := explaintest.Node("spot-a-01", "4", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	w := newBench([]*corev1.Node{node}, nil).told(t, names.NodeUnschedulable, explaintest.Pod("shop/x", "", ""), "spot-a-01")
	explaintest.Same(t, w.What, "spot-a-01 is cordoned (spec.unschedulable), and the pod does not tolerate node.kubernetes.io/unschedulable:NoSchedule")
	explaintest.Same(t, w.Short, "cordoned")
}
