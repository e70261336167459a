package act

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// still is a State that does not change.
type still struct{ snapshot *model.Snapshot }

func (s still) Newest() *model.Snapshot { return s.snapshot }

func (s still) Forecast(context.Context, plan.Hypothesis) (*plan.Forecast, error) {
	return &plan.Forecast{}, nil
}

func newTestActor(objects ...runtime.Object) (*Actor, *fake.Clientset) {
	client := fake.NewClientset(objects...)
	builder := model.NewBuilder()
	for _, object := range objects {
		switch object := object.(type) {
		case *corev1.Node:
			builder.Node(nil, object)
		case *corev1.Pod:
			builder.Pod(nil, object)
		}
	}
	return New(Options{
		State: still{builder.Build(1, model.Status{}, nil)}, Reader: client, DryRunner: fake.NewClientset(objects...), Writer: client,
	}), client
}

func node(name string, change func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid-node", ResourceVersion: "7"}}
	if change != nil {
		change(n)
	}
	return n
}

func TestACordonIsPlannedConfirmedRunAndTakenBack(t *testing.T) {
	a, client := newTestActor(node("n1", nil))
	cordoned := func() bool {
		n, err := client.CoreV1().Nodes().Get(t.Context(), "n1", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return n.Spec.Unschedulable
	}
	action := plan.Action(plan.Cordon{Nodes: []string{"n1"}})
	for _, want := range []bool{true, false} {
		p, err := a.Plan(t.Context(), action)
		if err != nil {
			t.Fatal(err)
		}
		if cordoned() == want {
			t.Fatal("a plan has changed the node")
		}
		question := p.Question("staging", false)
		if _, err := p.Confirm(question, "n", nil); !errors.Is(err, plan.ErrNotConfirmed) {
			t.Errorf("a wrong answer gives %v", err)
		}
		confirmed, err := p.Confirm(question, "y", nil)
		if err != nil {
			t.Fatal(err)
		}
		ran, err := a.Run(t.Context(), confirmed)
		if err != nil {
			t.Fatal(err)
		}
		if cordoned() != want {
			t.Errorf("after %s the node is cordoned: %v", p.Title, cordoned())
		}
		action = ran.Entry.Undo
	}
	if did := a.Activity(); len(did) != 2 || did[0].Undo == nil || did[1].Undo != nil {
		t.Errorf("an undo is still offered for what was taken back: %+v", did)
	}
}

func TestNothingIsRunThatNobodyConfirmed(t *testing.T) {
	a, client := newTestActor(node("n1", nil))
	if _, err := a.Run(t.Context(), plan.Confirmed{}); !errors.Is(err, plan.ErrNotConfirmed) {
		t.Errorf("run gives %v", err)
	}
	if n := len(client.Actions()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
