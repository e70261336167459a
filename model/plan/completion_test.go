package plan

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func completed(found []Completion) []string {
	var lines []string
	for _, c := range found {
		lines = append(lines, c.Text+" "+c.Note)
	}
	return lines
}

// pool are three nodes with GPUs, one of them for a test, and one that is lost.
func pool() []runtime.Object {
	var objects []runtime.Object
	for _, name := range []string{"gpu-a", "gpu-b", "gpu-c", "std-a"} {
		node := anEmptyNode(name)
		if name != "std-a" {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule})
		} else {
			node.Labels["disk"] = "hdd"
		}
		if name == "gpu-c" {
			node.Spec.Taints = append(node.Spec.Taints,
				corev1.Taint{Key: "test", Effect: corev1.TaintEffectNoExecute},
				corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute})
		}
		objects = append(objects, node)
	}
	return append(objects, owned("shop/a", "std-a", "ReplicaSet/a", nil), owned("web/b", "std-a", "ReplicaSet/b", nil))
}

func TestTaintsInUseCompleteWhatIsTyped(t *testing.T) {
	s := factsOf(t, pool()...).Snapshot
	cases := []struct {
		node, typed string
		want        []string
	}{
		{"std-a", "dedicated=gpu:No", []string{"dedicated=gpu:NoSchedule on 3 nodes", "dedicated=gpu:NoExecute not in use"}},
		{"std-a", "d", []string{"dedicated=gpu:NoSchedule on 3 nodes", "dedicated=gpu:PreferNoSchedule not in use", "dedicated=gpu:NoExecute not in use"}},
		{"std-a", "new=x:NoE", []string{"new=x:NoExecute not in use"}},
		{"std-a", "new=x", nil},
		{"std-a", "a:NoSchedule te", []string{"test:NoExecute on 1 node", "test:PreferNoSchedule not in use", "test:NoSchedule not in use"}},
		{"gpu-c", "test:NoE", []string{"test:NoExecute on 1 node", "test:NoExecute- removes it"}},
		{"gpu-c", "ded-", []string{"dedicated=gpu:NoSchedule- removes it"}},
		{"gpu-c", "-", []string{"dedicated=gpu:NoSchedule- removes it", "test:NoExecute- removes it"}},
		{"gpu-c", "node", nil},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, completed(CompleteTaint(s, []string{c.node}, c.typed))); diff != "" {
			t.Errorf("%s, %q: %s", c.node, c.typed, diff)
		}
	}
	both := CompleteTaint(s, []string{"gpu-a", "std-a"}, "ded-")
	if diff := cmp.Diff([]string{"dedicated=gpu:NoSchedule- removes it from 1 of 2 nodes"}, completed(both)); diff != "" {
		t.Error(diff)
	}
}

func TestLabelsInUseCompleteWhatIsTyped(t *testing.T) {
	s := factsOf(t, pool()...).Snapshot
	node, pod := NodeRef("std-a"), podRef("shop", "a")
	cases := []struct {
		refs  []model.Ref
		typed string
		want  []string
	}{
		{[]model.Ref{node}, "di", []string{"disk= on 4 nodes", "disk- removes it"}},
		{[]model.Ref{node}, "disk=", []string{"disk=ssd on 3 nodes", "disk=hdd on 1 node"}},
		{[]model.Ref{node}, "x=y disk=h", []string{"disk=hdd on 1 node"}},
		{[]model.Ref{node, NodeRef("gpu-a")}, "disk-", []string{"disk- removes it from 2 of 2 nodes"}},
		{[]model.Ref{pod}, "app=", []string{"app=a on 1 pod"}},
		{[]model.Ref{pod}, "none", nil},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, completed(CompleteLabel(s, c.refs, c.typed))); diff != "" {
			t.Errorf("%q: %s", c.typed, diff)
		}
	}
}

func TestWhatIsTypedIsToldWhileItIsTyped(t *testing.T) {
	s := factsOf(t, crowd()...).Snapshot
	taint := func(typed string) (string, error) {
		action, err := ReadTaint([]string{"std-b-02"}, typed)
		if err != nil {
			return "", err
		}
		return Preview(s, action)
	}
	for typed, want := range map[string]string{
		"dedicated=gpu:NoExecute":                          "Evicts 12 of 31 pods (9 immediately, 3 after 300s). 19 tolerate it.",
		"dedicated=gpu:NoSchedule":                         "Its 31 pods keep running; new pods are scheduled on other nodes unless they tolerate it.",
		"dedicated=gpu:NoExecute dedicated=gpu:NoSchedule": "Evicts 12 of 31 pods (9 immediately, 3 after 300s). 19 tolerate it. New pods are scheduled on other nodes unless they tolerate it.",
	} {
		if got, err := taint(typed); err != nil || got != want {
			t.Errorf("%s: %q, %v", typed, got, err)
		}
	}
	if _, err := taint("other-"); !errors.Is(err, ErrNoChange) {
		t.Errorf("a removal of nothing gives %v", err)
	}
	if _, err := taint("dedicated=gpu:No"); err == nil {
		t.Error("half an effect is taken")
	}
	label, err := ReadLabel([]model.Ref{podRef("shop", "nobody")}, "a=b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Preview(s, label); !errors.Is(err, ErrGone) {
		t.Errorf("a pod that is not there gives %v", err)
	}
}
