package act

import (
	"errors"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// confirmed plans a cordon of n1 and says yes to it.
func confirmed(t *testing.T, a *Actor) (*plan.Plan, plan.Confirmed) {
	t.Helper()
	plan, err := a.Plan(t.Context(), plan.Cordon{Nodes: []string{"n1"}})
	if err != nil {
		t.Fatal(err)
	}
	yes, err := plan.Confirm(plan.Question("staging", false), "y", nil)
	if err != nil {
		t.Fatal(err)
	}
	return plan, yes
}

func TestWhatIsReadOnlyIsPlannedAndNotRun(t *testing.T) {
	for name, test := range map[string]struct {
		set    func(*Options)
		says   string
		raised string // what is said after Raise
	}{
		"a run that is read-only stays so":     {func(o *Options) { o.ReadOnly = true }, readOnlyRun, readOnlyRun},
		"a context that is read-only may rise": {func(o *Options) { o.ReadOnlyContext = true }, readOnlyContext, ""},
		"the run goes before the context":      {func(o *Options) { o.ReadOnly, o.ReadOnlyContext = true, true }, readOnlyRun, readOnlyRun},
	} {
		t.Run(name, func(t *testing.T) {
			a, client := newTestActor(node("n1", nil))
			test.set(&a.Options)
			plan, yes := confirmed(t, a)
			if plan.Verdict.Asked || plan.Verdict.Skipped == "" {
				t.Errorf("the dry run is %+v", plan.Verdict)
			}
			if _, err := a.Run(t.Context(), yes); !errors.Is(err, ErrReadOnly) {
				t.Errorf("run gives %v", err)
			}
			for _, action := range client.Actions() {
				if action.GetVerb() != "get" {
					t.Errorf("%s was sent", action.GetVerb())
				}
			}
			if got := a.ReadOnly(); got != test.says {
				t.Errorf("it says %q, want %q", got, test.says)
			}
			if err := a.Raise(); (err == nil) != (test.raised == "") {
				t.Errorf("raise gives %v", err)
			}
			if got := a.ReadOnly(); got != test.raised {
				t.Errorf("after raise it says %q, want %q", got, test.raised)
			}
			if _, err := a.Run(t.Context(), yes); (err == nil) != (test.raised == "") {
				t.Errorf("after raise run gives %v", err)
			}
		})
	}
}
