package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

func TestTheWantedNodeIsNamed(t *testing.T) {
	b := newBench([]*corev1.Node{testNode("std-a-01", "4"), testNode("std-a-02", "4")}, nil)
	w := b.told(t, names.NodeName, testPod("shop/x", "std-a-02", ""), "std-a-01")
	same(t, w.What, "std-a-01: spec.nodeName of the pod is std-a-02")
	same(t, w.Short, "spec.nodeName is std-a-02")
}
