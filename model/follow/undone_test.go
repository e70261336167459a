package follow

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// A change that is undone, in whatever way, is followed no longer: its pod will not come.
func TestFollowingEndsWhenTheChangeIsUndone(t *testing.T) {
	gpu := "gpu"
	for _, c := range []struct {
		action plan.Action
		before func(*corev1.Node) // as the node is without the change
		words  string
	}{
		{plan.Cordon{Nodes: []string{"a"}, Off: true}, func(n *corev1.Node) { n.Spec.Unschedulable = true }, "uncordon a was undone"},
		{
			plan.Taint{Nodes: []string{"a"}, Remove: []plan.TaintRemoval{{Key: "only", Value: &gpu, Effect: corev1.TaintEffectNoSchedule}}},
			func(n *corev1.Node) {
				n.Spec.Taints = []corev1.Taint{{Key: "only", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
			},
			"untaint a only=gpu:NoSchedule- was undone",
		},
		{plan.Label{Refs: []model.Ref{plan.NodeRef("a")}, Set: map[string]string{"tier": "fast"}}, func(*corev1.Node) {}, "label a tier=fast was undone"},
	} {
		t.Run(c.action.Name(), func(t *testing.T) {
			w := newWorld(t)
			made := func(n *corev1.Node) { n.Labels["tier"] = "fast" }
			change := func(how func(*corev1.Node)) {
				node := modeltest.NewNode("a", "z", "4", "8Gi")
				how(node)
				w.builder.Node(nil, node)
			}
			change(c.before)
			s := w.snapshot()
			cart, _ := s.PodNamed("shop", "cart-1")
			w.pod = Begin(Fix{Action: c.action, Pod: cart, Nodes: []string{"a"}}, s).Done(w.at)
			w.sees(time.Second)
			if w.pod.State != Waiting {
				t.Fatalf("state %d before the change was seen", w.pod.State)
			}
			change(made)
			w.sees(time.Second)
			if w.pod.State != Waiting {
				t.Fatalf("state %d after the change", w.pod.State)
			}
			change(c.before)
			w.sees(time.Second)
			if got := w.pod.Words(w.at); w.pod.State != Undone || got != c.words || w.pod.Live() || w.pod.Outcome() != "undone" {
				t.Errorf("state %d, words %q, outcome %q", w.pod.State, got, w.pod.Outcome())
			}
			if want := c.words + ": cart-1 is still pending"; len(w.said) != 1 || w.said[0] != want {
				t.Errorf("says %q, want %q", w.said, want)
			}
		})
	}
}

// Where one of several nodes still has the change, the pod may come there.
func TestAChangeThatIsUndoneOnOneOfItsNodesIsFollowed(t *testing.T) {
	w := newWorld(t)
	s := w.snapshot()
	cart, _ := s.PodNamed("shop", "cart-1")
	w.pod = Begin(Fix{Action: plan.Cordon{Nodes: []string{"a", "b"}, Off: true}, Pod: cart, Nodes: []string{"a", "b"}}, s).Done(w.at)
	w.sees(time.Second)
	cordoned := modeltest.NewNode("a", "z", "4", "8Gi")
	cordoned.Spec.Unschedulable = true
	w.builder.Node(nil, cordoned)
	w.sees(time.Second)
	if w.pod.State != Waiting {
		t.Errorf("state %d", w.pod.State)
	}
}

// An eviction cannot be undone, and nodes do not show it.
func TestAnEvictionIsNeverUndone(t *testing.T) {
	w := newWorld(t)
	s := w.snapshot()
	cart, _ := s.PodNamed("shop", "cart-1")
	w.pod = Begin(Fix{Action: plan.Evict{Pods: []model.Ref{{Resource: "pods", Namespace: "batch", Name: "old"}}}, Pod: cart, Nodes: []string{"a"}}, s).Done(w.at)
	w.drop("batch/old")
	w.sees(time.Second)
	if w.pod.State != Waiting {
		t.Errorf("state %d", w.pod.State)
	}
}
