package explain

import (
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// where says where the pod would go and by how much; of one that has a node, why
// it is there.
func (w *stages) where() string {
	said := w.goes()
	if w.way.Running != "" {
		said = w.whyThere() + " As of now, without this pod."
	}
	switch {
	case said == "" || len(w.way.Ranked) < 2:
		return said
	case w.way.Stage(report.StageScore).Outcome == report.Open:
		said += " Scores rest on what could not be read."
	case w.way.Likely:
		said += fmt.Sprintf(" Likely: of %d that fit kube-scheduler ranks %d.", len(w.way.Ranked), w.way.Sample)
	}
	return said
}

// goes says where a pod without a node would go; "" where no node fits.
func (w *stages) goes() string {
	ranked, tie := w.way.Ranked, w.way.Firsts()
	switch {
	case len(ranked) == 0:
		return ""
	case len(ranked) == 1:
		return fmt.Sprintf("It would go to %s: no other node fits.", ranked[0].Node)
	case len(tie) > 1:
		said := fmt.Sprintf("It would go to one of %s at random: each scores %d", grammar.List(tie, grammar.Few), ranked[0].Total)
		if len(ranked) > len(tie) {
			said += ", next " + scored(ranked[len(tie)])
		}
		return said + "."
	}
	return fmt.Sprintf("It would go to %s: it scores %d, next %s.", ranked[0].Node, ranked[0].Total, scored(ranked[1]))
}

func scored(node report.RankedNode) string { return fmt.Sprintf("%s %d", node.Node, node.Total) }

// whyThere compares the pod's node with the others.
func (w *stages) whyThere() string {
	there, ranked, tie := w.way.Running, w.way.Ranked, w.way.Firsts()
	at := slices.IndexFunc(ranked, func(node report.RankedNode) bool { return node.Node == there })
	switch {
	case at < 0 && len(ranked) == 0 && !w.none:
		return fmt.Sprintf("Why it is on %s is unknown: %s.", there, w.end)
	case at < 0 && len(ranked) == 0:
		return fmt.Sprintf("It would fit no node now. %s: %s.", there, w.against(there))
	case at < 0:
		return fmt.Sprintf("It would not go to %s now: %s. First is %s.", there, w.against(there), ranked[0].Node)
	case len(ranked) == 1:
		return fmt.Sprintf("Why there: no node but %s fits.", there)
	case !ranked[at].First:
		return fmt.Sprintf("It would go elsewhere now: %s scores %d, %s.", ranked[0].Node, ranked[0].Total, scored(ranked[at]))
	case len(tie) > 1:
		others := slices.DeleteFunc(slices.Clone(tie), func(node string) bool { return node == there })
		verb := "does"
		if len(others) > 1 {
			verb = "do"
		}
		return fmt.Sprintf("Why there: %s scores %d, and so %s %s.", there, ranked[at].Total, verb, grammar.List(others, grammar.Few))
	}
	return fmt.Sprintf("Why there: %s scores %d, next %s.", there, ranked[at].Total, scored(ranked[1]))
}

// against is what the node has against the pod, as the scheduler comes upon it.
func (w *stages) against(node string) string {
	for i := range w.m.nodes {
		if w.m.nodes[i].Node().Name != node {
			continue
		}
		if k := w.m.firstThatCounts(i); k >= 0 {
			return w.plugins[k].name + ", " + refusal(w.question.Question, []plugins.Refused{w.m.refused(w.Engine, k, i)}).Short
		}
	}
	return "the node is gone"
}
