package plugins_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
)

func noResizePreemption(owner string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.PodPreemptionPolicy = &corev1.NodePodPreemptionPolicy{DisableResizePreemption: []string{owner}}
	}
}

func resizeDeferred(p *corev1.Pod) {
	p.Status.Conditions = append(p.Status.Conditions,
		corev1.PodCondition{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred})
}

func TestADeferredResizeTellsWhyItsNodeIsNoPlaceForIt(t *testing.T) {
	b := newBench([]*corev1.Node{explaintest.Node("std-a-01", "4", noResizePreemption("example.com/autoscaler")), explaintest.Node("std-a-02", "4")}, nil)
	pod := explaintest.Pod("shop/x", "std-a-01", "", resizeDeferred)
	w := b.told(t, names.DeferredPodScheduling, pod, "std-a-01")
	explaintest.Same(t, w.What, "std-a-01: preemption for a resize is disabled: spec.podPreemptionPolicy.disableResizePreemption is set by example.com/autoscaler")
	explaintest.Same(t, w.Short, "no preemption for resizes")
	w = b.told(t, names.DeferredPodScheduling, pod, "std-a-02")
	explaintest.Same(t, w.What, "std-a-02: the pod runs on std-a-01, where its resize is deferred")
	explaintest.Same(t, w.Short, "runs on std-a-01")
}
