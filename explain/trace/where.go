package trace

import (
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// where says where the pod would be scheduled and by how much; of one that has a
// node, why it is there.
func (w *stages) where() string {
	said := goes(&w.cycle)
	if w.cycle.Running != "" {
		said = w.whyThere() + " Simulated as if the pod had no node yet."
	}
	switch {
	case said == "" || len(w.cycle.Ranked) < 2:
		return said
	case w.cycle.Stage(report.StageScore).Outcome == report.Open:
		said += " Uncertain: scores depend on objects that could not be read."
	case w.cycle.Likely:
		said += fmt.Sprintf(" Likely: kube-scheduler scores only %d of the %d nodes that fit.", w.cycle.Sample, len(w.cycle.Ranked))
	}
	return said
}

// goes says where a pod without a node would be scheduled; "" where no node fits.
func goes(cycle *report.SchedulingCycle) string {
	ranked, tie := cycle.Ranked, cycle.Firsts()
	switch {
	case len(ranked) == 0:
		return ""
	case len(ranked) == 1:
		return fmt.Sprintf("It would be scheduled on %s: no other node fits.", ranked[0].Node)
	case len(tie) > 1:
		said := fmt.Sprintf("It would be scheduled on one of %s at random: each scores %d", grammar.List(tie, grammar.Few), ranked[0].Total)
		if len(ranked) > len(tie) {
			said += ", next " + scored(ranked[len(tie)])
		}
		return said + "."
	}
	return fmt.Sprintf("It would be scheduled on %s: it scores %d, next %s.", ranked[0].Node, ranked[0].Total, scored(ranked[1]))
}

func scored(node report.RankedNode) string { return fmt.Sprintf("%s %d", node.Node, node.Total) }

// whyThere compares the pod's node with the others.
func (w *stages) whyThere() string {
	there, ranked, tie := w.cycle.Running, w.cycle.Ranked, w.cycle.Firsts()
	at := slices.IndexFunc(ranked, func(node report.RankedNode) bool { return node.Node == there })
	switch {
	case at < 0 && len(ranked) == 0 && !w.none:
		return fmt.Sprintf("Why it is on %s is unknown: %s.", there, w.end)
	case at < 0 && len(ranked) == 0:
		return fmt.Sprintf("No node would fit now. %s: %s.", there, w.against(there))
	case at < 0:
		return fmt.Sprintf("It would not be scheduled on %s now: %s. Best is %s.", there, w.against(there), ranked[0].Node)
	case len(ranked) == 1:
		return fmt.Sprintf("It would be scheduled on %s again: no other node fits.", there)
	case !ranked[at].First:
		return fmt.Sprintf("It would be scheduled elsewhere now: %s scores %d, %s.", ranked[0].Node, ranked[0].Total, scored(ranked[at]))
	case len(tie) > 1:
		others := slices.DeleteFunc(slices.Clone(tie), func(node string) bool { return node == there })
		return fmt.Sprintf("It may be scheduled on %s again: it scores %d, as %s %s.", there, ranked[at].Total, grammar.Agree(len(others), "does", "do"), grammar.List(others, grammar.Few))
	}
	return fmt.Sprintf("It would be scheduled on %s again: it scores %d, next %s.", there, ranked[at].Total, scored(ranked[1]))
}

// against is why the node is rejected: the first reason in the scheduler's order.
func (w *stages) against(node string) string {
	for i := range w.Matrix.Nodes {
		if w.Matrix.Nodes[i].Node().Name != node {
			continue
		}
		if k := w.Matrix.FirstSure(i); k >= 0 {
			return w.Profile.Plugins[k].Name + ", " + plugins.Tell(w.Question, []plugins.NodeRejection{w.Matrix.Rejection(k, i)}).Short
		}
	}
	return "the node no longer exists"
}
