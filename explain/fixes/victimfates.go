package fixes

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pdb"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Harm of an eviction by what happens to the pod.
const (
	harmPending = 35 // more than where it is rescheduled on another node
	harmLost    = 45
)

// tellReturn words what happens to an evicted pod, and how much harm that is.
func tellReturn(victim *corev1.Pod, fate plan.Fate) (how string, harm int) {
	switch fate.Outcome {
	case plan.Lost:
		return "is not recreated: no controller owns it", harmLost
	case plan.Waits:
		return "becomes Pending: " + fate.Why, harmPending
	case plan.Depends:
		return "may become Pending: " + fate.Why, harmPending
	case plan.Lands, plan.Preempts:
	default:
		if plan.RecreationUnknown(victim) != "" {
			return "may not be recreated: " + plan.RecreationUnknown(victim), harmLost
		}
		return "is recreated; on which node is unknown", harmPending
	}
	how = "is " + placement.Placement{Node: fate.Node, Tie: fate.Nodes(), Likely: fate.Likely}.Words()
	if placement.ControllerKind(victim) == "Job" {
		how += "; its work starts over, " + plan.JobMayFail
	}
	return how, 0
}

// blocked says whether PodDisruptionBudgets reject the eviction of a pod now.
func blocked(budgets *pdb.Budgets, pod *corev1.Pod) bool {
	var told report.Eviction
	return budgets.Rejects(pod, &told)
}

// budgetsAgainst notes why the API server would reject evictions of the pods now, or what could not be read of that.
func (f *Search) budgetsAgainst(victims []*corev1.Pod, fix *Attempt) {
	taken := map[*policyv1.PodDisruptionBudget]int32{}
	for _, victim := range victims {
		var told report.Eviction
		switch rejects := f.Budgets.Rejects(victim, &told); {
		case rejects && told.Unread != "":
			noteUnread(fix, "a PodDisruptionBudget", "to evict "+plugins.FullName(victim), told.Unread)
			continue
		case rejects:
			fix.Remaining = append(fix.Remaining, strings.TrimSuffix(told.Sentence, "."))
			continue
		}
		budgets, err := f.Budgets.Of(victim)
		if err != nil || len(budgets) == 0 {
			continue // refusesEviction has asked too
		}
		one := budgets[0]
		if taken[one]++; taken[one] > 1 && taken[one] > one.Status.DisruptionsAllowed {
			fix.Remaining = append(fix.Remaining, fmt.Sprintf("PodDisruptionBudget %s/%s allows %s now",
				one.Namespace, one.Name, grammar.Plural(int(one.Status.DisruptionsAllowed), "disruption")))
		}
	}
}
