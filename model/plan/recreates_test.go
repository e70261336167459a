package plan

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestOnlyKubernetesControllersAreKnownToRecreatePods(t *testing.T) {
	for _, c := range []struct {
		version, kind string
		unknown       bool
	}{
		{"apps/v1", "ReplicaSet", false},
		{"apps/v1", "StatefulSet", false},
		{"apps/v1", "DaemonSet", false},
		{"batch/v1", "Job", false},
		{"v1", "ReplicationController", false},
		{"v1", "Node", false},
		{"v1", "ConfigMap", true},
		{"argoproj.io/v1alpha1", "Workflow", true},
		{"batch.volcano.sh/v1alpha1", "Job", true},
		{"apps.kruise.io/v1beta1", "StatefulSet", true},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: c.version, Kind: c.kind, Name: "x", UID: "x", Controller: new(true)},
		}}}
		pod.Spec.NodeName = "n"
		end := endOf(model.NewPod(pod), Evicted)
		end.Fate = Fate{Outcome: Lands, Node: "n", Budget: Budget{Allows: BudgetAllows}}
		words, asks := "to n (same node)", "y"
		switch c.kind {
		case "Job":
			words, asks = "to n (same node); its work starts over", "1"
		case "DaemonSet":
			words = "recreated on n by its DaemonSet"
		}
		if c.unknown {
			words, asks = "not known whether its controller ("+c.kind+" x) recreates it", "1"
		}
		plan := &Plan{Action: Evict{}, Does: "evict", Ends: []End{end}, PodsTerminated: 1, foretold: true}
		if got := end.Words(); got != words {
			t.Errorf("%s %s: %q, want %q", c.version, c.kind, got, words)
		}
		if got := plan.Question("c", false).Answer; got != asks {
			t.Errorf("%s %s: asks for %q, want %q", c.version, c.kind, got, asks)
		}
		if got := plan.Ends.outcomes() == "possibly not recreated"; got != c.unknown {
			t.Errorf("%s %s: %s", c.version, c.kind, plan.Ends.outcomes())
		}
	}
	if said := RecreationUnknown(&corev1.Pod{}); said != "" {
		t.Error(said)
	}
}
