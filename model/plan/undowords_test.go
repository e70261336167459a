package plan

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAnUndoSaysWhatFollows(t *testing.T) {
	is := func(change func(*corev1.Node)) *corev1.Node {
		node := anEmptyNode("n1")
		change(node)
		return node
	}
	pod := owned("shop/cart-0", "n1", "ReplicaSet/cart", nil)
	plain := is(func(*corev1.Node) {})
	evicting := is(func(n *corev1.Node) { n.Spec.Taints = mustParse(t, "a:NoExecute").Add })
	taint := func(words ...string) Taint {
		action := mustParse(t, words...)
		action.Nodes = []string{"n1"}
		return action
	}
	cases := []struct {
		about     string
		did       Action
		was, then *corev1.Node
		want      []string
		err       error
	}{
		{
			"of a cordon",
			Cordon{Nodes: []string{"n1"}},
			plain, is(func(n *corev1.Node) { n.Spec.Unschedulable = true }),
			[]string{"Undo of cordon n1", "New pods can be scheduled there again.", "spec.unschedulable  true → –", "No dry run. Undo: cordon.", "y undo"},
			nil,
		},
		{
			"of a drain",
			Drain{Nodes: []string{"n1"}},
			plain, is(func(n *corev1.Node) { n.Spec.Unschedulable = true }),
			[]string{
				"Uncordon n1 (undo of drain)", "New pods can be scheduled there again.", "Evicted pods do not move back.",
				"spec.unschedulable  true → –", "No dry run. Undo: cordon.", "y uncordon",
			},
			nil,
		},
		{
			"of the undo of a drain",
			Restore{Of: "drain n1", OfDrain: true, Changes: []Change{{
				Target: NodeRef("n1"), Edits: []Edit{{Path: unschedulablePath, To: true}},
			}}},
			is(func(n *corev1.Node) { n.Spec.Unschedulable = true }), plain,
			[]string{
				"Cordon n1 (undo of uncordon)", "Its 1 pod keeps running; new pods are scheduled on other nodes.",
				"spec.unschedulable  – → true", "No dry run. Undo: uncordon.", "y cordon",
			},
			nil,
		},
		{
			"of an untaint that ends pods", taint("a-"), evicting, plain,
			[]string{
				"Undo of untaint n1 a-", "Evicts 1 pod immediately.", "  shop/cart-0 ",
				"warning: NoExecute ignores PodDisruptionBudgets; drain respects them.", "Grace period 30s.",
				"No dry run. Undo: restore the taints.", "Type 1 (pods to terminate):",
			},
			nil,
		},
		{
			"of one of two labels, the other having been changed",
			Label{Refs: []model.Ref{NodeRef("n1")}, Set: map[string]string{"a": "1", "b": "1"}},
			plain, is(func(n *corev1.Node) { n.Labels["a"], n.Labels["b"] = "1", "2" }),
			[]string{
				"Undo of label n1 a=1 b=1", "Its 1 pod keeps running; its node selectors, required affinity and spread constraints are not affected.", "metadata.labels[a]  1 → –", "warning: metadata.labels[b] of n1 was changed since then and is kept: 2.",
				"No dry run. Undo: restore the labels.", "y undo",
			},
			nil,
		},
		{
			"of a taint that got another value", taint("a=1:NoSchedule", "b:NoSchedule"), plain,
			is(func(n *corev1.Node) { n.Spec.Taints = mustParse(t, "a=2:NoSchedule", "b:NoSchedule").Add }),
			[]string{
				"Undo of taint n1 a=1:NoSchedule b:NoSchedule", "Its 1 pod keeps running; new pods no longer need to tolerate it.",
				"spec.taints  a=2:NoSchedule, b:NoSchedule → a=2:NoSchedule",
				"warning: spec.taints of n1 was changed since then and is kept: a=2:NoSchedule, b:NoSchedule.",
				"No dry run. Undo: restore the taints.", "y undo",
			},
			nil,
		},
		{"of what somebody has changed", Annotate{Refs: []model.Ref{NodeRef("n1")}, Set: map[string]string{"a": "1"}}, plain, is(func(n *corev1.Node) { n.Annotations = map[string]string{"a": "2"} }), nil, ErrNoChange},
		{"of what is undone already", Cordon{Nodes: []string{"n1"}}, plain, plain, nil, ErrNoChange},
		{"of a node that was made again", Cordon{Nodes: []string{"n1"}}, plain, is(func(n *corev1.Node) { n.UID = "other" }), nil, ErrGone},
	}
	for _, c := range cases {
		did, err := c.did.Plan(factsOf(t, c.was, pod))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := did.Undo.Plan(factsOf(t, []runtime.Object{c.then, pod}...))
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.about, err, c.err)
		}
		if err != nil {
			continue
		}
		if diff := cmp.Diff(c.want, told(plan)); diff != "" {
			t.Errorf("%s: %s", c.about, diff)
		}
	}
}

// What is gone does not keep the rest from being undone.
func TestAnUndoLeavesOutWhatIsGone(t *testing.T) {
	nodes := []string{"n1", "n2", "n3"}
	did, err := Cordon{Nodes: nodes}.Plan(factsOf(t, anEmptyNode("n1"), anEmptyNode("n2"), anEmptyNode("n3")))
	if err != nil {
		t.Fatal(err)
	}
	cordoned := func(name string) *corev1.Node {
		node := anEmptyNode(name)
		node.Spec.Unschedulable = true
		return node
	}
	plan, err := did.Undo.Plan(factsOf(t, cordoned("n1"), cordoned("n3")))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Undo of cordon 3 nodes", "New pods can be scheduled there again.", "spec.unschedulable  true → –", "spec.unschedulable  true → –",
		"warning: Skips n2: it no longer exists.", "No dry run. Undo: cordon.", "y undo",
	}
	if diff := cmp.Diff(want, told(plan)); diff != "" {
		t.Error(diff)
	}
	if _, err := did.Undo.Plan(factsOf(t, anEmptyNode("n9"))); !errors.Is(err, ErrGone) {
		t.Errorf("without any of the nodes: %v", err)
	}
}

func TestAnUndoKeepsAnnotationsToItself(t *testing.T) {
	action := Annotate{Refs: []model.Ref{NodeRef("n1")}, Set: map[string]string{"a": "hush", "b": "hush"}}
	did, err := action.Plan(factsOf(t, anEmptyNode("n1")))
	if err != nil {
		t.Fatal(err)
	}
	node := anEmptyNode("n1")
	node.Annotations = map[string]string{"a": "psst", "b": "hush"}
	plan, err := did.Undo.Plan(factsOf(t, node))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"metadata.annotations[a] of n1 was changed since then and is kept."}, plan.Warnings); diff != "" {
		t.Error(diff)
	}
	if name := plan.Action.Name(); name != "undo annotate n1 a b" {
		t.Errorf("it is named %q", name)
	}
}
