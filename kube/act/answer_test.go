package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

var nodesResource = corev1.SchemeGroupVersion.WithResource("nodes")

// answers makes a client answer the changes of a resource with that object.
func answers(client *fake.Clientset, resource string, object runtime.Object) {
	answer := func(clienttesting.Action) (bool, runtime.Object, error) { return true, object, nil }
	client.PrependReactor("patch", resource, answer)
	client.PrependReactor("update", resource, answer)
}

func TestAChangeThatTheServerLeavesOutIsNotDone(t *testing.T) {
	cordon := plan.Cordon{Nodes: []string{"n1"}}
	label := plan.Label{Refs: []model.Ref{plan.NodeRef("n1")}, Set: map[string]string{"a": "1", "b": "2"}}
	taint := plan.Taint{Nodes: []string{"n1"}, Add: []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}}}
	scale := plan.Scale{Ref: model.Ref{Resource: "deployments/scale", Namespace: "shop", Name: "cart"}, Replicas: 3}
	const removed = ": an admission policy or webhook removed it"
	for name, test := range map[string]struct {
		action plan.Action
		answer runtime.Object
		said   string // "" where it is done
		made   int    // edits that were made all the same
	}{
		"a cordon": {cordon, node("n1", nil), "accepted the change of n1 but left out spec.unschedulable" + removed, 0},
		"a taint, with another one in its place": {
			taint, node("n1", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "b", Effect: corev1.TaintEffectNoSchedule}} }),
			"accepted the change of n1 but left out spec.taints" + removed, 1,
		},
		"one of two labels": {label, node("n1", func(n *corev1.Node) { n.Labels = map[string]string{"a": "1"} }), "accepted the change of n1 but left out metadata.labels[b]" + removed, 1},
		"a scale": {
			scale, &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "uid-cart"}, Spec: autoscalingv1.ScaleSpec{Replicas: 2}},
			"accepted the change of shop/cart but left out spec.replicas" + removed, 0,
		},
		"an answer that is no node":             {cordon, &corev1.Node{}, "answered the change of n1 with something else", 0},
		"a node of that name with another UID":  {cordon, node("n1", func(n *corev1.Node) { n.UID, n.Spec.Unschedulable = "other", true }), "answered the change of n1 with something else", 0},
		"an answer to a scale that has no name": {scale, &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}, "answered the change of shop/cart with something else", 0},
		"but a cordon that a webhook adds a label to is done": {
			cordon, node("n1", func(n *corev1.Node) { n.Labels, n.Spec.Unschedulable = map[string]string{"seen": "1"}, true }), "", 1,
		},
		"but a taint that got its time is done": {
			taint, node("n1", func(n *corev1.Node) {
				n.Spec.Taints = []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule, TimeAdded: new(metav1.Now())}}
			}), "", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "uid-cart"}}
			for _, when := range []string{"dry run", "change"} {
				a, client := newTestActor(node("n1", nil), deployment)
				client.PrependReactor("get", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
					return true, &autoscalingv1.Scale{ObjectMeta: deployment.ObjectMeta, Spec: autoscalingv1.ScaleSpec{Replicas: 2}}, nil
				})
				tried := a.DryRunner.(*fake.Clientset)
				answers(tried, "deployments", &autoscalingv1.Scale{ObjectMeta: deployment.ObjectMeta, Spec: autoscalingv1.ScaleSpec{Replicas: 3}})
				if when == "dry run" {
					answers(tried, "*", test.answer)
					checkRejections(t, a, test.action, test.said)
					continue
				}
				answers(client, "*", test.answer)
				checkFailure(t, a, test.action, test.said, test.made)
			}
		})
	}
}

// checkRejections checks what the verdict says of an action; "" is nothing.
func checkRejections(t *testing.T, a *Actor, action plan.Action, said string) {
	t.Helper()
	var want []string
	if said != "" {
		want = []string{said + "."}
	}
	p, err := a.Plan(t.Context(), action)
	if err != nil || !slices.Equal(p.Verdict.Rejections, want) || !p.Verdict.Asked {
		t.Errorf("the plan is %+v, %v", p, err)
	}
}

// checkFailure checks how an action fails whose dry run is accepted, and how many of its
// edits are noted as made; said is "" where it succeeds.
func checkFailure(t *testing.T, a *Actor, action plan.Action, said string, made int) {
	t.Helper()
	p, err := a.Plan(t.Context(), action)
	if err != nil || len(p.Verdict.Rejections) > 0 {
		t.Fatalf("the plan is %+v, %v", p, err)
	}
	question := p.Question("staging", false)
	confirmed, err := p.Confirm(question, question.Answer, nil)
	if err != nil {
		t.Fatal(err)
	}
	ran, err := a.Run(t.Context(), confirmed)
	if err != nil && statusOf(err) == nil {
		t.Errorf("%v counts as no answer", err) // and would be told as a lost connection
	}
	if failed := err != nil; failed != (said != "") || failed && !strings.HasPrefix(err.Error(), "kube-apiserver "+said) {
		t.Errorf("run gives %v", err)
	}
	if err != nil && strings.Contains(said, "something else") && !strings.HasSuffix(err.Error(), "; the change may still have been made") {
		t.Errorf("run gives %v", err)
	}
	edits := 0
	for _, change := range ran.Changed {
		edits += len(change.Edits)
	}
	if said != "" && edits != made || ran.Entry.OK != (said == "") || ran.Entry.Undo == nil != (edits == 0) {
		t.Errorf("%d edits were made, the activity log says %+v", edits, ran.Entry)
	}
}

func TestADrainWhoseCordonIsLeftOutEvictsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("a"), running("b"))
		defer d.a.Close()
		answers(d.client, "nodes", node("n1", nil))
		ran, err := d.run(d.plan(plan.Drain{Nodes: []string{"n1"}}))
		if err == nil || !strings.Contains(err.Error(), "left out spec.unschedulable") || ran.Job != 0 || len(ran.Changed) != 0 {
			t.Errorf("run gives %+v, %v", ran, err)
		}
		time.Sleep(time.Minute)
		if d.evictions("a")+d.evictions("b") != 0 || len(d.a.Jobs()) != 0 || d.cordoned("n1") {
			t.Errorf("%d pods were evicted", d.evictions("a")+d.evictions("b"))
		}
		if did := d.a.Activity(); len(did) != 1 || did[0].OK || did[0].Undo != nil {
			t.Errorf("the activity log says %+v", did)
		}
	})
}

// What is said of a change that failed depends on whether the server may have made it.
func TestAChangeThatMayHaveBeenMadeIsNotCalledUnmade(t *testing.T) {
	const maybe, not = "It failed; the change may still have been made.", "It failed, and nothing was changed."
	for name, test := range map[string]struct {
		failed error
		want   string
	}{
		"no answer":             {fmt.Errorf("patch: %w", context.DeadlineExceeded), maybe},
		"another answer":        {&worded{"", errors.Join(notMade("answered with something else"), errOtherAnswer)}, maybe},
		"etcd was slow":         {apierrors.NewInternalError(errors.New("etcdserver: request timed out")), maybe},
		"a timeout there":       {apierrors.NewTimeoutError("request did not complete within requested timeout", 0), maybe},
		"left out":              {notMade("left it out"), not},
		"a right lacks":         {apierrors.NewForbidden(podsResource.GroupResource(), "cart", errors.New("no")), not},
		"it changed meanwhile":  {fmt.Errorf("n1 %w", ErrChanged), not},
		"no action can do that": {fmt.Errorf("scale: %w", plan.ErrNotPossible), not},
	} {
		if got := failedWords(&plan.Ran{}, test.failed); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAnErrorSaysWhetherTheChangeMayHaveBeenMade(t *testing.T) {
	const etcd = "kube-apiserver: etcdserver: request timed out"
	slow := &apierrors.StatusError{ErrStatus: metav1.Status{Code: 500, Message: "etcdserver: request timed out"}}
	for _, test := range []struct {
		name   string
		failed error
		dry    bool
		want   string
	}{
		{"etcd was slow", slow, false, etcd + "; the change may still have been made"},
		{"in a dry run", slow, true, etcd},
		{"no answer", context.DeadlineExceeded, false, "no answer in time; the change may still have been made"},
		{"a policy forbids it", &apierrors.StatusError{ErrStatus: metav1.Status{Code: 403, Message: "not today."}}, false, "kube-apiserver: not today."},
	} {
		if got := toldOf(test.failed, test.dry); got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
