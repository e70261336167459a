package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestThePlanSupposesWhatItLeadsTo(t *testing.T) {
	gated := owned("ml/train", "", "Job/train", func(pod *corev1.Pod) {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "x/quota"}}
	})
	facts := factsOf(t, anEmptyNode("n1"), owned("shop/cart-0", "n1", "ReplicaSet/cart", nil), gated)
	plan := func(action Action) *Plan {
		plan, err := action.Plan(facts)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	cordonTaint := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

	drain := plan(Drain{Nodes: []string{"n1"}}).Supposed(facts.Snapshot)
	if diff := cmp.Diff([]types.UID{"cart-0"}, drain.Gone); diff != "" {
		t.Error(diff)
	}
	if node := drain.Nodes[0]; !node.Spec.Unschedulable || !cmp.Equal(node.Spec.Taints, []corev1.Taint{cordonTaint}) {
		t.Errorf("the drained node is %+v", node.Spec)
	}
	if node, _ := facts.Snapshot.Node("n1"); node.Object.Spec.Unschedulable || len(node.Object.Spec.Taints) > 0 {
		t.Error("the snapshot's own node was changed")
	}

	ungated := plan(Ungate{Pods: []model.Ref{podRef("ml", "train")}}).Supposed(facts.Snapshot)
	if len(ungated.Pods) != 1 || len(ungated.Pods[0].Spec.SchedulingGates) != 0 || len(gated.Spec.SchedulingGates) != 1 {
		t.Errorf("without its gate the pod is %+v", ungated.Pods)
	}
	labeled := plan(Label{Refs: []model.Ref{NodeRef("n1"), podRef("shop", "cart-0")}, Set: map[string]string{"a": "b"}}).Supposed(facts.Snapshot)
	if len(labeled.Nodes) != 1 || labeled.Nodes[0].Labels["a"] != "b" || len(labeled.Pods) != 0 {
		t.Errorf("labeled: %+v", labeled)
	}

	cordoned := anEmptyNode("n1")
	cordoned.Spec.Unschedulable, cordoned.Spec.Taints = true, []corev1.Taint{cordonTaint, {Key: "a", Effect: corev1.TaintEffectNoExecute}}
	facts = factsOf(t, cordoned)
	open := plan(Cordon{Nodes: []string{"n1"}, Off: true}).Supposed(facts.Snapshot).Nodes[0]
	if open.Spec.Unschedulable || !cmp.Equal(open.Spec.Taints, cordoned.Spec.Taints[1:]) {
		t.Errorf("uncordoned, the node is %+v", open.Spec)
	}
}

func TestWhatBecomesOfPendingPodsIsTold(t *testing.T) {
	pending := func(name string) *corev1.Pod {
		return owned(name, "", "ReplicaSet/checkout-6c9d", func(pod *corev1.Pod) { pod.Labels = map[string]string{"pod-template-hash": "6c9d"} })
	}
	cordoned := anEmptyNode("n1")
	cordoned.Spec.Unschedulable = true
	facts := factsOf(t, cordoned, anEmptyNode("n2"), pending("shop/checkout-6c9d-a"), pending("shop/checkout-6c9d-b"), owned("shop/alone", "", "", nil))
	pod := func(name string) *model.Pod { found, _ := facts.Snapshot.PodNamed("shop", name); return found }
	cases := []struct {
		action   Action
		forecast Forecast
		want     []string
	}{
		{
			Cordon{Nodes: []string{"n1"}, Off: true},
			Forecast{Admitted: []NewlySchedulable{{Pod: pod("checkout-6c9d-a"), Count: 1, Node: "n1"}, {Pod: pod("alone"), Count: 1, Node: "n1"}}},
			[]string{"New pods can be scheduled there again.", "1 of 2 pending pods of shop/checkout would fit.", "Pending shop/alone would fit."},
		},
		{
			Cordon{Nodes: []string{"n1"}, Off: true},
			Forecast{Admitted: []NewlySchedulable{{Pod: pod("checkout-6c9d-a"), Count: 2, Node: "n1"}}},
			[]string{"New pods can be scheduled there again.", "All 2 pending pods of shop/checkout would fit."},
		},
		{
			Cordon{Nodes: []string{"n2"}},
			Forecast{Barred: []NewlyUnschedulable{{Pod: pod("checkout-6c9d-a"), How: "loses the node that was nearest"}}},
			[]string{"No pods run there; new pods are scheduled on other nodes.", "Pending shop/checkout loses the node that was nearest."},
		},
		{
			Cordon{Nodes: []string{"n2"}},
			Forecast{Barred: []NewlyUnschedulable{
				{pod("alone"), "fits no node any more"}, {pod("alone"), "fits no node any more"}, {pod("alone"), "fits no node any more"}, {pod("alone"), "x"}, {pod("alone"), "x"},
			}},
			[]string{
				"No pods run there; new pods are scheduled on other nodes.", "Pending shop/alone fits no node any more.", "Pending shop/alone fits no node any more.",
				"Pending shop/alone fits no node any more.", "2 more pending workloads lose a node that fits, or their closest node.",
			},
		},
	}
	for _, c := range cases {
		plan, err := c.action.Plan(facts)
		if err != nil {
			t.Fatal(err)
		}
		c.forecast.Unknown = "not allowed to list nodes"
		plan.Foretell(nil)
		plan.Foretell(&c.forecast)
		if diff := cmp.Diff(c.want, plan.Effects); diff != "" {
			t.Errorf("%s: %s", c.action.Name(), diff)
		}
		if diff := cmp.Diff([]string{"Incomplete forecast: not allowed to list nodes."}, plan.Warnings); diff != "" {
			t.Errorf("%s: %s", c.action.Name(), diff)
		}
	}
}
