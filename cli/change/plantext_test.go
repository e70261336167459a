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

// A drain ends with an error where a replacement has started on the node.
func TestAPlanThatLeavesADrainedNodeWithPodsIsBlocked(t *testing.T) {
	end := plan.End{How: plan.Evicted, Fate: plan.Fate{Outcome: plan.Lands, Node: "n1"}, Drained: []string{"n1"}}
	if err := verdictOf(&plan.Plan{Ends: plan.Ends{end}}, false); !errors.Is(err, exit.ErrBlocked) {
		t.Errorf("%v, want %v", err, exit.ErrBlocked)
	}
}

// A drain whose replacements preempt pods that become Pending has not found room for all.
func TestAPlanThatPreemptsPodsThatBecomePendingIsBlocked(t *testing.T) {
	for outcome, want := range map[plan.Outcome]error{plan.Waits: exit.ErrBlocked, plan.Depends: exit.ErrBlocked, plan.NotKnown: exit.ErrUndecided, plan.Lands: nil} {
		victim := plan.PreemptedPod{Fate: plan.Fate{Outcome: outcome}}
		if err := verdictOf(&plan.Plan{Preempted: []plan.PreemptedPod{victim}}, false); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", outcome, err, want)
		}
	}
}

// Whoever reads the exit code is told that pods are missing from a plan.
func TestAPlanWithoutPodsThatCouldNotBeReadIsUndecided(t *testing.T) {
	if err := verdictOf(&plan.Plan{Unread: "not allowed to list pods"}, true); !errors.Is(err, exit.ErrUndecided) {
		t.Errorf("%v, want %v", err, exit.ErrUndecided)
	}
}
