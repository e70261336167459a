package plan

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Pods that could not be read are not taken for none: where a plan may terminate some, it cannot
// be confirmed, as a drain cannot be planned.
func TestPodsThatCouldNotBeReadAreUnknown(t *testing.T) {
	forbidden := model.Status{Unread: []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}}
	oneNamespace := model.Status{Namespace: "shop"}
	node := anEmptyNode("n1")
	some := []runtime.Object{
		node, owned("shop/cart-0", "n1", "ReplicaSet/cart", nil), owned("shop/cart-1", "n1", "ReplicaSet/cart", nil),
		owned("shop/tolerates", "n1", "ReplicaSet/cart", tolerates("a")),
	}
	const none, others = "not allowed to list pods", "only pods of the namespace shop could be read"
	cases := []struct {
		name    string
		status  model.Status
		action  Action
		effects []string
		blind   string
	}{
		{"NoExecute", forbidden, taintOfN1(t, "a:NoExecute"), []string{
			"Unknown which pods run there, and which of them it terminates: " + none + ".", "Evicts all pods that do not tolerate it.",
		}, none},
		{"NoExecute, one namespace", oneNamespace, taintOfN1(t, "a:NoExecute"), []string{
			"Evicts at least 2 pods immediately.",
			"Unknown which other pods run there, and which of them it terminates: " + others + ".", "1 tolerates it.",
		}, others},
		{"NoSchedule", forbidden, taintOfN1(t, "a:NoSchedule"), []string{
			"Unknown which pods run there: " + none + ".", "Its pods keep running; new pods are scheduled on other nodes unless they tolerate it.",
		}, ""},
		{"cordon", forbidden, Cordon{Nodes: []string{"n1"}}, []string{
			"Unknown which pods run there: " + none + ".", "Its pods keep running; new pods are scheduled on other nodes.",
		}, ""},
		{"cordon, one namespace", oneNamespace, Cordon{Nodes: []string{"n1"}}, []string{
			"Unknown which other pods run there: " + others + ".", "Its pods, at least 3, keep running; new pods are scheduled on other nodes.",
		}, ""},
		{"label", forbidden, Label{Refs: []model.Ref{NodeRef("n1")}, Set: map[string]string{"x": "y"}}, []string{
			"Unknown which pods run there, and which of them it terminates: " + none + ".",
		}, none},
		{"label, one namespace", oneNamespace, Label{Refs: []model.Ref{NodeRef("n1")}, Set: map[string]string{"x": "y"}}, []string{
			"Unknown which other pods run there, and which of them it terminates: " + others + ".",
			"Of its pods, at least 3 keep running; node selectors, required affinity and spread constraints of these are not affected.",
		}, others},
		{"annotate", forbidden, Annotate{Refs: []model.Ref{NodeRef("n1")}, Set: map[string]string{"x": "y"}}, []string{}, ""},
	}
	for _, c := range cases {
		objects := some
		if c.status.Namespace == "" {
			objects = some[:1]
		}
		facts := factsOf(t, objects...)
		facts.Snapshot.Status = c.status
		p, err := c.action.Plan(facts)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if diff := cmp.Diff(c.effects, p.Effects); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		question := p.Question("staging", false)
		_, err = p.Confirm(question, question.Answer, make([]bool, len(p.Consents)))
		if errors.Is(err, ErrNotConfirmed) != (c.blind != "") {
			t.Errorf("%s: confirmed with %v", c.name, err)
		}
		_, annotates := c.action.(Annotate)
		if known := p.Document().Unread == ""; known != annotates {
			t.Errorf("%s: all pods are known: %v", c.name, known)
		}
	}
}

func taintOfN1(t *testing.T, taint string) Taint {
	to := mustParse(t, taint)
	to.Nodes = []string{"n1"}
	return to
}

// A node that could not be read has pods nobody knows.
func TestThePodsOfANodeThatCouldNotBeReadAreUnknown(t *testing.T) {
	facts := factsOf(t, anEmptyNode("n1"))
	facts.Snapshot = model.NewBuilder().Build(1, model.Status{}, nil)
	p, err := taintOfN1(t, "a:NoExecute").Plan(facts)
	if err != nil {
		t.Fatal(err)
	}
	const why = "node n1 is not among those that could be read"
	if p.Unread != why || Unforeseen(p) != "unknown which pods it terminates: "+why {
		t.Errorf("%q, %q, %q", p.Unread, Unforeseen(p), p.Effects)
	}
}
