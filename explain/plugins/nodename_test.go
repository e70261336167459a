package plugins_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
)

func TestTheWantedNodeIsNamed(t *testing.T) {
	b := newBench([]*corev1.Node{explaintest.Node("std-a-01", "4"), explaintest.Node("std-a-02", "4")}, nil)
	w := b.told(t, names.NodeName, explaintest.Pod("shop/x", "std-a-02", ""), "std-a-01")
	explaintest.Same(t, w.What, "std-a-01: spec.nodeName of the pod is std-a-02")
	explaintest.Same(t, w.Short, "spec.nodeName is std-a-02")
}
