package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A drain tells what becomes of the pods that its replacements preempt.
func TestPodsThatReplacementsPreemptAreTold(t *testing.T) {
	victim := func(name string, outcome Outcome, instead bool) PreemptedPod {
		return PreemptedPod{Pod: owned("shop/"+name, "n2", "ReplicaSet/batch-1", nil), By: "shop/cart-0", Fate: Fate{Outcome: outcome, Node: "n3"}, Instead: instead}
	}
	for name, test := range map[string]struct {
		victims []PreemptedPod
		want    string
	}{
		"none":                             {},
		"one":                              {[]PreemptedPod{victim("a", Waits, false)}, "Replacements preempt shop/a: Pending."},
		"one of several":                   {[]PreemptedPod{victim("a", Lands, true)}, "Replacements preempt shop/a, or pods like it: rescheduled."},
		"two, one of which may be another": {[]PreemptedPod{victim("a", Lands, true), victim("b", Lands, false)}, "Replacements preempt shop/a, shop/b, or pods like them: 2 rescheduled."},
		"one, maybe":                       {[]PreemptedPod{victim("a", Depends, true)}, "Replacements may preempt shop/a."},
		"some and a bare one": {
			[]PreemptedPod{victim("a", Waits, false), victim("b", Lost, false), victim("c", Lands, false), victim("d", Waits, false), victim("e", Depends, true)},
			"Replacements preempt shop/a, shop/b, shop/c and 1 more: 1 rescheduled, 2 Pending, 1 not recreated; may preempt shop/e.",
		},
	} {
		plan, err := Drain{Nodes: []string{"n1"}}.Plan(factsOf(t, anEmptyNode("n1"), owned("shop/cart-0", "n1", "StatefulSet/cart", nil)))
		if err != nil {
			t.Fatal(err)
		}
		plan.Foretell(&Forecast{Preempted: test.victims})
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		if diff := cmp.Diff(want, plan.Warnings); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(plan.Document().Preempted) != len(test.victims) {
			t.Errorf("%s: the document has %+v", name, plan.Document().Preempted)
		}
	}
}
