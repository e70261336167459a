package change

import (
	"errors"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// A taint evicts pods whatever PodDisruptionBudgets allow: only evictions are blocked by one.
func TestABudgetBlocksThePlanOfEvictionsOnly(t *testing.T) {
	for how, want := range map[plan.Termination]error{plan.Evicted: exit.ErrBlocked, plan.TaintEvicted: nil} {
		end := plan.End{How: how, Fate: plan.Fate{Outcome: plan.Lands, Budget: plan.Budget{Allows: plan.BudgetWaits}}}
		if err := verdictOf(&plan.Plan{Ends: plan.Ends{end}}, false); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", how, err, want)
		}
	}
}

// Whoever reads the exit code is told that pods are missing from a plan.
func TestAPlanWithoutPodsThatCouldNotBeReadIsUndecided(t *testing.T) {
	if err := verdictOf(&plan.Plan{Unread: "not allowed to list pods"}, true); !errors.Is(err, exit.ErrUndecided) {
		t.Errorf("%v, want %v", err, exit.ErrUndecided)
	}
}
