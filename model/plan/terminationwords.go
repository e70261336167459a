package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// disruption ranks what happens to a pod, the most disruptive first.
func (e End) disruption() int {
	switch class := e.class(); {
	case e.Refills() && (class == lands || class == comesBack):
		return int(refills)
	case e.EmptyDir && (class == lands || class == comesBack):
		return int(loses)
	default:
		return int(class)
	}
}

// Warn says whether the pod is marked with a warning: its end is disruptive.
func (e End) Warn() bool { return e.disruption() < int(notAsked) }

// class is what a pod counts as in a plan's summary. Pods are listed in the order
// of their classes.
type class int8

const (
	lost class = iota
	never
	pending
	notMade
	mayReturn // it is unknown whether its controller recreates it
	preempts
	depends
	waitsForBudget
	refills // a node that is drained
	loses   // data, and is rescheduled
	notEvaluated
	notAsked // there is no forecast
	lands
	comesBack
	hadFinished
	endsAlready
)

// summary words each class, in the order of a summary.
var summary = []struct {
	class class
	words string
}{
	{lands, "rescheduled"},
	{comesBack, "recreated on the same node"},
	{pending, "Pending"},
	{preempts, "preempting other pods"},
	{depends, "possibly Pending"},
	{notMade, "not recreated while tainted"},
	{mayReturn, "possibly not recreated"},
	{lost, "not recreated"},
	{never, "cannot be evicted"},
	{notEvaluated, "not evaluated"},
	{hadFinished, "already finished"},
	{endsAlready, "already terminating"},
}

// Refills says whether its replacement is or may be scheduled on a node that the plan drains: that does not become
// empty.
func (e End) Refills() bool { return len(e.Drained) > 0 }

// class is what the pod counts as: the most disruptive thing that holds for it.
func (e End) class() class {
	budget, outcome := e.Budget(), e.Fate.Outcome
	switch {
	case e.Terminating:
		return endsAlready
	case outcome == Finished:
		return hadFinished
	case budget.Allows == BudgetNever:
		return never
	case e.Lost || outcome == Lost:
		return lost
	case budget.Allows == BudgetWaits:
		return waitsForBudget
	}
	return e.outcome()
}

// outcome is the class of what the scheduler does with the pod's replacement.
func (e End) outcome() class {
	if e.recreationUnknown() != "" {
		return mayReturn
	}
	switch e.Fate.Outcome {
	case Lands:
		if e.sameNode() {
			return comesBack
		}
		return lands
	case Waits:
		return pending
	case Preempts:
		return preempts
	case Depends:
		return depends
	case NotMade:
		return notMade
	case NotKnown:
		return notEvaluated
	}
	return notAsked
}

// recreationUnknown says that it is unknown whether the pod is recreated; "" where
// that is known, or does not matter.
func (e End) recreationUnknown() string {
	if e.Fate.Outcome == Finished || e.How == Rolled {
		return ""
	}
	return RecreationUnknown(e.Pod.Object)
}

// Budget is what PodDisruptionBudgets say; the zero value where they do not apply: only an
// eviction asks them.
func (e End) Budget() Budget {
	if e.How != Evicted {
		return Budget{}
	}
	return e.Fate.Budget
}

// counts say what happens to the pods: "8 rescheduled, 1 Pending".
func (e Ends) counts() string {
	counts := map[class]int{}
	for i := range e {
		counts[e[i].class()]++
	}
	counts[notEvaluated] += counts[notAsked]
	ended, rejected := counts[endsAlready], counts[never]
	if ended+rejected < len(e) {
		counts[endsAlready], counts[never] = 0, 0 // sentences of their own: the plan does not count them
	}
	var words []string
	for _, s := range summary {
		if n := counts[s.class]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	said := strings.Join(words, ", ")
	if ended > 0 && ended+rejected < len(e) {
		said += fmt.Sprintf(". %d %s already terminating", ended, grammar.Agree(ended, "is", "are"))
	}
	if rejected > 0 && ended+rejected < len(e) {
		said += fmt.Sprintf(". %d cannot be evicted", rejected)
	}
	return said
}

// outcomes are the counts; of one pod "rescheduled".
func (e Ends) outcomes() string {
	if len(e) == 1 && e[0].class() != never {
		return strings.TrimPrefix(e.counts(), "1 ")
	}
	return e.counts()
}

// blocked says whether a budget blocks the eviction now: it is tried again.
func (e End) blocked() bool {
	return !e.Terminating && e.Fate.Outcome != Finished && e.Budget().Allows == BudgetWaits
}

// blocked counts the pods whose eviction a budget blocks now.
func (e Ends) blocked() int { return countEnds(e, End.blocked) }

// Words say what happens to the pod, for its line in the plan: "to std-a-01", "not
// recreated: no controller", "blocked by PDB cart: 3 healthy pods, 3 needed".
func (e End) Words() string {
	switch e.class() {
	case endsAlready:
		return "already terminating"
	case hadFinished:
		return "already finished"
	}
	var clauses []string
	for _, clause := range []string{e.budgetWords(), e.whereWords(), e.dataWords(), e.againWords(), e.unreadWords()} {
		if clause != "" {
			clauses = append(clauses, clause)
		}
	}
	words := strings.Join(clauses, "; ")
	switch {
	case e.How == TaintEvicted && e.After > 0 && words != "":
		return fmt.Sprintf("after %s: %s", seconds(e.After), words)
	case e.How == TaintEvicted && e.After > 0:
		return "after " + seconds(e.After)
	}
	return words
}

// budgetWords say which budget blocks the eviction; "" where none does.
func (e End) budgetWords() string {
	budget := e.Budget()
	switch budget.Allows {
	case BudgetWaits:
		return "blocked by PDB " + model.Clean(budget.Name) + colon(budget.Why)
	case BudgetNever:
		return "cannot be evicted" + colon(cmp.Or(budget.Why, "several PDBs select it"))
	}
	return ""
}

// NotRecreated says of a pod that it has no controller that would recreate it.
const NotRecreated = "not recreated: " + noController

const noController = "no controller"

// whereWords say where the pod's replacement is scheduled, or why nowhere.
func (e End) whereWords() string {
	switch fate := e.Fate; {
	case e.Lost || fate.Outcome == Lost:
		return "not recreated: " + cmp.Or(fate.Why, noController)
	case e.recreationUnknown() != "":
		return e.recreationUnknown()
	case fate.Outcome == Waits && e.Budget().Allows == BudgetWaits:
		return "then Pending" + colon(fate.Why)
	case fate.Outcome == Waits:
		return "Pending" + colon(fate.Why)
	case fate.Outcome == NotKnown:
		return "not evaluated" + colon(fate.Why)
	case fate.Outcome == NotMade:
		return "not recreated while the taint is there"
	case fate.Outcome == Depends:
		return "possibly Pending: " + cmp.Or(model.Clean(fate.Why), "depends on the order in which pods are recreated")
	case fate.Outcome == Preempts && fate.Likely:
		return "preempts pods on " + model.Clean(fate.Node) + " (likely)" + colon(fate.Why)
	case fate.Outcome == Preempts:
		return "preempts pods on " + model.Clean(fate.Node) + colon(fate.Why)
	case fate.Outcome == Lands:
		return e.landsWords() + e.refillsWords()
	}
	return ""
}

// sameNode says that the pod's replacement is scheduled on its own node, and may not be
// on any other.
func (e End) sameNode() bool {
	return e.Fate.Node == e.Pod.Object.Spec.NodeName && len(e.Fate.Nodes()) <= 1
}

// landsWords name the node that the pod's replacement is scheduled on; "" where a budget blocks the eviction and
// the node becomes empty.
func (e End) landsWords() string {
	node := model.Clean(e.Fate.Node)
	nodes, because := e.Fate.Nodes(), "same score"
	if len(e.Fate.Varies) > 0 {
		because = "depends on other pods"
	}
	switch others := len(nodes) - 1; {
	case e.Budget().Allows == BudgetWaits && !e.Refills():
		return ""
	case e.sameNode() && model.OfDaemonSet(e.Pod.Object):
		return "recreated on " + node + " by its DaemonSet"
	case e.sameNode():
		return "to " + node + " (same node)"
	case e.Fate.Likely:
		return "to " + node + " (likely)"
	case others == 1:
		return "to " + model.Clean(strings.Join(nodes, " or ")) + " (" + because + ")"
	case others > 1:
		return fmt.Sprintf("to %s or one of %d others (%s)", node, others, because)
	}
	return "to " + node
}

// refillsWords say why a drained node does not become empty; "" where it does.
func (e End) refillsWords() string {
	if !e.Refills() {
		return ""
	}
	becomes := "will not become empty"
	if len(e.Drained) < len(e.Fate.candidates()) || e.Fate.Likely {
		becomes = "may not become empty"
	}
	node := model.Clean(e.Drained[0])
	if more := len(e.Drained) - 1; more > 0 {
		node += fmt.Sprintf(" or %d more", more)
	}
	return ": it tolerates the cordon, so " + node + " " + becomes
}

// dataWords say that the pod's data is deleted; not of a pod without a controller.
func (e End) dataWords() string {
	if e.EmptyDir && !e.Lost {
		return "emptyDir data is deleted"
	}
	return ""
}

// againWords say that a Job repeats its work.
func (e End) againWords() string {
	if e.Pod.Owner.Kind == "Job" && e.outcome() != notAsked && e.outcome() != notMade && e.outcome() != mayReturn && e.outcome() != notEvaluated && !e.EmptyDir {
		return "its work starts over"
	}
	return ""
}

// unreadWords say that it is unknown whether a budget blocks the eviction.
func (e End) unreadWords() string {
	if e.Budget().Allows == BudgetUnread {
		return "not evaluated: PDBs could not be read"
	}
	return ""
}

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + model.Clean(text)
}
