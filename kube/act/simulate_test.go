package act

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// oracle is a State that foretells.
type oracle struct {
	still
	asked *[]plan.Hypothesis
	told  *plan.Forecast
	err   error
}

func (o oracle) Forecast(_ context.Context, supposed plan.Hypothesis) (*plan.Forecast, error) {
	*o.asked = append(*o.asked, supposed)
	return o.told, o.err
}

func TestAPlanTellsWhatIsForetoldOfTheStateThatItLeadsTo(t *testing.T) {
	waits := model.NewPod(&corev1.Pod{})
	waits.Object.Namespace, waits.Object.Name = "shop", "checkout"
	barred := &plan.Forecast{Barred: []plan.NewlyUnschedulable{{Pod: waits, How: "loses the node that was nearest"}}}
	for name, c := range map[string]struct {
		told *plan.Forecast
		err  error
		want string
	}{
		"foretold": {barred, nil, "Pending shop/checkout loses the node that was nearest."},
		"not yet":  {nil, errors.New("still reading the cluster"), "Incomplete forecast: still reading the cluster."},
	} {
		a, _ := newTestActor(node("n1", nil))
		var asked []plan.Hypothesis
		a.State = oracle{a.State.(still), &asked, c.told, c.err}
		plan, err := a.Plan(t.Context(), plan.Cordon{Nodes: []string{"n1"}})
		if err != nil {
			t.Fatal(err)
		}
		if said := slices.Concat(plan.Effects, plan.Warnings); !slices.Contains(said, c.want) {
			t.Errorf("%s: the plan says %q", name, strings.Join(said, " "))
		}
		if len(asked) != 1 || len(asked[0].Nodes) != 1 || !asked[0].Nodes[0].Spec.Unschedulable || !slices.Equal(asked[0].Gone, []types.UID(nil)) {
			t.Errorf("%s: asked about %+v", name, asked)
		}
	}
}

// knowing is a State that knows of budgets, too.
type knowing struct {
	*world
	told *plan.Forecast
}

func (k knowing) Forecast(context.Context, plan.Hypothesis) (*plan.Forecast, error) {
	return k.told, nil
}

func TestNoDryRunIsSentForAPodWhoseBudgetWaits(t *testing.T) {
	w := newWorld(t, running("cart"), running("free"))
	fates := map[types.UID]plan.Fate{
		w.pod("cart").UID: {Outcome: plan.Lands, Node: "n2", Budget: plan.Budget{Allows: plan.BudgetWaits, Name: "cart", Why: "not counted yet"}},
		w.pod("free").UID: {Outcome: plan.Lands, Node: "n2", Budget: plan.Budget{Allows: plan.BudgetAllows}},
	}
	a := New(Options{State: knowing{w, &plan.Forecast{Fates: fates}}, Reader: w.client, DryRunner: w.client, Writer: w.client})
	defer a.Close()
	if _, err := a.Plan(t.Context(), ends{how: plan.Evicted}); err != nil {
		t.Fatal(err)
	}
	if w.evictions("cart") != 0 || w.evictions("free") != 1 {
		t.Errorf("%d dry runs of the pod that waits, %d of the other", w.evictions("cart"), w.evictions("free"))
	}
}
