package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// A node that is uncordoned may still have taints that keep pods off.
func TestUncordoningTellsTheTaintsThatStay(t *testing.T) {
	node := anEmptyNode("n1")
	node.Spec.Unschedulable = true
	node.Spec.Taints = []corev1.Taint{
		{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
		{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule},
		{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule},
	}
	plan, err := Cordon{Nodes: []string{"n1"}, Off: true}.Plan(factsOf(t, node))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"New pods can be scheduled there again if they tolerate node.kubernetes.io/memory-pressure:NoSchedule."}, plan.Effects); diff != "" {
		t.Error(diff)
	}
}
