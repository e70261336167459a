package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// harm ranks what becomes of a pod, the worst first.
func (e End) harm() int {
	switch class := e.class(); {
	case e.EmptyDir && (class == lands || class == comesBack):
		return int(loses)
	default:
		return int(class)
	}
}

// Warn says that the pod's end has to be read first.
func (e End) Warn() bool { return e.harm() < int(notAsked) }

// class is what a pod counts as in a plan's summary. They are in the order in
// which pods are listed.
type class int8

const (
	lost class = iota
	never
	pending
	notMade
	mayReturn // nobody knows whether its controller recreates it
	preempts
	depends
	waitsForBudget
	loses // data, and lands
	notEvaluated
	notAsked // nothing was foretold
	lands
	comesBack
	hadFinished
	endsAlready
)

// summary words each class, in the order of a summary.
var summary = []struct {
	class     class
	one, many string
}{
	{lands, "lands elsewhere", "land elsewhere"},
	{comesBack, "comes back to the same node", "come back to the same node"},
	{pending, "becomes Pending", "become Pending"},
	{preempts, "preempts other pods", "preempt other pods"},
	{depends, "may become Pending", "may become Pending"},
	{notMade, "is not made again", "are not made again"},
	{mayReturn, "may not be recreated", "may not be recreated"},
	{lost, "is lost", "are lost"},
	{waitsForBudget, "has to wait for its PodDisruptionBudget", "have to wait for their PodDisruptionBudgets"},
	{never, "cannot be evicted", "cannot be evicted"},
	{notEvaluated, "is not evaluated", "are not evaluated"},
	{hadFinished, "had finished", "had finished"},
	{endsAlready, "ends already", "end already"},
}

// class tells what the pod counts as: one thing, the worst.
func (e End) class() class {
	budget, outcome := e.budget(), e.Fate.Outcome
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

// outcome is the class of what the scheduler makes of the pod.
func (e End) outcome() class {
	if e.recreationUnknown() != "" {
		return mayReturn
	}
	switch e.Fate.Outcome {
	case Lands:
		if e.Fate.Node == e.Pod.Object.Spec.NodeName {
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

// recreationUnknown says that nobody knows whether the pod comes back; "" where
// that is known, or it is known not to be missed.
func (e End) recreationUnknown() string {
	if e.Fate.Outcome == Finished || e.How == Rolled {
		return ""
	}
	return RecreationUnknown(e.Pod.Object)
}

// budget is what PodDisruptionBudgets say; nothing, where nobody asks them.
func (e End) budget() Budget {
	if e.How != Evicted {
		return Budget{}
	}
	return e.Fate.Budget
}

// outcomes count what becomes of the pods that end: "8 land elsewhere, 1 becomes
// Pending."
func (e Ends) outcomes() string {
	counts := map[class]int{}
	for i := range e {
		counts[e[i].class()]++
	}
	counts[notEvaluated] += counts[notAsked]
	var words []string
	for _, s := range summary {
		if n := counts[s.class]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, grammar.Agree(n, s.one, s.many)))
		}
	}
	return strings.Join(words, ", ") + "."
}

// Words are what becomes of the pod, for its line in the plan: "std-a-01", "lost:
// no controller owns it", "waits: PDB cart, 3 healthy pods, 3 needed".
func (e End) Words() string {
	switch e.class() {
	case endsAlready:
		return "terminating already"
	case hadFinished:
		return "finished already"
	}
	var clauses []string
	for _, clause := range []string{e.budgetWords(), e.whereWords(), e.dataWords(), e.againWords(), e.unreadWords()} {
		if clause != "" {
			clauses = append(clauses, clause)
		}
	}
	words := strings.Join(clauses, "; ")
	switch {
	case e.How == Thrown && e.After > 0 && words != "":
		return fmt.Sprintf("after %s: %s", seconds(e.After), words)
	case e.How == Thrown && e.After > 0:
		return "after " + seconds(e.After)
	}
	return words
}

// budgetWords say which budget is in the way; "" where none is.
func (e End) budgetWords() string {
	budget := e.budget()
	switch budget.Allows {
	case BudgetWaits:
		return "waits: PDB " + model.Clean(budget.Name) + comma(budget.Why)
	case BudgetNever:
		if budget.Why != "" {
			return "refused: " + model.Clean(budget.Why)
		}
		return "refused: several PDBs select it"
	}
	return ""
}

// whereWords say where the pod's like goes, or why nowhere.
func (e End) whereWords() string {
	switch fate := e.Fate; {
	case e.Lost || fate.Outcome == Lost:
		return "lost: no controller owns it"
	case e.recreationUnknown() != "":
		return e.recreationUnknown()
	case fate.Outcome == Waits:
		return "Pending" + colon(fate.Why)
	case fate.Outcome == NotKnown:
		return "not evaluated" + colon(fate.Why)
	case fate.Outcome == NotMade:
		return "not made again while the taint is there"
	case fate.Outcome == Depends:
		return cmp.Or(model.Clean(fate.Why), "depends on the order in which the pods come back")
	case fate.Outcome == Preempts:
		return "preempts on " + model.Clean(fate.Node) + colon(fate.Why)
	case fate.Outcome == Lands && e.budget().Allows != BudgetWaits:
		return e.landsWords()
	}
	return ""
}

// landsWords name the node that the pod's like goes to.
func (e End) landsWords() string {
	node, from := model.Clean(e.Fate.Node), e.Pod.Object.Spec.NodeName
	switch {
	case e.Fate.Node == from && len(e.Fate.Tie) <= 1:
		return "back to " + node
	case e.Fate.Likely:
		return "likely " + node
	case len(e.Fate.Tie) > 1:
		return node + " or alike"
	}
	return node
}

// dataWords say that the pod's data goes with it; of a lost pod nobody asks.
func (e End) dataWords() string {
	if e.EmptyDir && !e.Lost {
		return "its emptyDir data is lost"
	}
	return ""
}

// againWords say that work is begun anew.
func (e End) againWords() string {
	if e.Pod.Owner.Kind == "Job" && e.outcome() != notAsked && e.outcome() != notMade && e.outcome() != mayReturn && !e.EmptyDir {
		return "its Job starts it again from nothing"
	}
	return ""
}

// unreadWords say that nobody knows whether a budget is in the way.
func (e End) unreadWords() string {
	if e.budget().Allows == BudgetUnread {
		return "not evaluated: PDBs could not be read"
	}
	return ""
}

func comma(text string) string {
	if text == "" {
		return ""
	}
	return ", " + model.Clean(text)
}

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + model.Clean(text)
}
