package plan

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAPlanIsWrittenForScripts(t *testing.T) {
	plan, err := Drain{Nodes: []string{"n1"}}.Plan(factsOf(t, anEmptyNode("n1"),
		owned("shop/cart-0", "n1", "StatefulSet/cart", withEmptyDir),
		owned("kube-system/proxy-1", "n1", "DaemonSet/proxy", nil),
	))
	if err != nil {
		t.Fatal(err)
	}
	plan.Foretell(&Forecast{Fates: map[types.UID]Fate{"cart-0": {
		Outcome: Lands, Node: "n2", Tie: []string{"n2", "n3"}, Budget: Budget{Allows: BudgetWaits, Name: "cart", Why: "1 healthy pod, 1 needed"},
	}}})
	plan.Verdict = Verdict{Asked: true}
	got, err := json.MarshalIndent(plan.Document(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "kind": "Plan",
  "apiVersion": "fathom/v1beta1",
  "action": "drain n1",
  "title": "Drain n1",
  "podsTerminated": 1,
  "pods": [
    {
      "namespace": "shop",
      "name": "cart-0",
      "uid": "cart-0",
      "node": "n1",
      "how": "evicted",
      "afterSeconds": 0,
      "graceSeconds": 30,
      "notRecreated": false,
      "emptyDir": true,
      "terminating": false,
      "fate": {
        "outcome": "rescheduled",
        "node": "n2",
        "tie": [
          "n2",
          "n3"
        ],
        "budget": {
          "allows": "blocked",
          "name": "cart",
          "why": "1 healthy pod, 1 needed",
          "disruptionsAllowed": 0
        }
      },
      "text": "blocked by PDB cart: 1 healthy pod, 1 needed; emptyDir data is deleted"
    }
  ],
  "notEvicted": [
    {
      "namespace": "kube-system",
      "name": "proxy-1",
      "uid": "proxy-1",
      "why": "of a DaemonSet"
    }
  ],
  "changes": [
    {
      "resource": "nodes",
      "name": "n1",
      "edits": [
        {
          "path": "spec.unschedulable",
          "from": null,
          "to": true
        }
      ]
    }
  ],
  "effects": [
    "The eviction of 1 of 2 pods is blocked by a PodDisruptionBudget for now; fathom retries until it is allowed."
  ],
  "warnings": [],
  "requiredFlags": [
    {
      "text": "delete the emptyDir data of 1 pod",
      "flag": "--delete-emptydir-data"
    }
  ],
  "order": "Order: cordon, then evict 1 pod; grace period 30s.",
  "undo": "Undo: uncordon; pods do not move back.",
  "undoable": true,
  "verdict": {
    "accepted": true,
    "rejections": []
  }
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// The 0 disruptions of a budget that does not exist would read as none allowed.
func TestAPlanHasABudgetOnlyWhereOneIsAsked(t *testing.T) {
	for _, c := range []struct {
		budget Budget
		there  bool
	}{
		{Budget{}, false},
		{Budget{Allows: BudgetAllows}, false},
		{Budget{Allows: BudgetAllows, Name: "cart", Left: 1}, true},
		{Budget{Allows: BudgetWaits, Name: "cart"}, true},
		{Budget{Allows: BudgetNever, Name: "cart"}, true},
		{Budget{Allows: BudgetUnread}, true},
	} {
		end := endOf(model.NewPod(owned("shop/a", "n1", "ReplicaSet/a", nil)), Evicted)
		end.Fate.Budget = c.budget
		if there := end.document().Fate.Budget != nil; there != c.there {
			t.Errorf("%+v is there: %v", c.budget, there)
		}
	}
}
