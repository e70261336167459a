package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// seconds word a short time as the figures of a pod's spec do: "60s", "300s".
func seconds(d time.Duration) string { return fmt.Sprintf("%ds", int64(d/time.Second)) }

// orderWords say in which order things are asked for, and how long they take at
// most; "" where nothing has to be waited for.
func (p *Plan) orderWords() string {
	if p.Ending == 0 {
		return ""
	}
	switch action := p.Action.(type) {
	case Drain:
		return "Order: " + action.order(p)
	case Evict:
		return strings.TrimSpace(p.Ends.budgetsAllow() + " " + p.Ends.graceWords("Longest grace period ") + ".")
	case Delete:
		return p.Ends.graceWords("") + "."
	}
	if len(p.Ends) == 0 {
		return ""
	}
	return p.Ends.graceWords("Longest grace period ") + "."
}

// graceWords tell the longest grace period, or the only one.
func (e Ends) graceWords(longest string) string {
	if len(e) == 1 {
		return "Its grace period is " + seconds(e[0].Grace)
	}
	return longest + seconds(longestGrace(e))
}

// order tells in which order a drain evicts the pods of its plan.
func (d Drain) order(p *Plan) string {
	cordon := ""
	switch n := len(p.Changes); {
	case n == 1 && len(d.Nodes) == 1:
		cordon = "cordon, then "
	case n == 1:
		cordon = "cordon 1 node, then "
	case n > 1:
		cordon = fmt.Sprintf("cordon %d nodes, then ", n)
	}
	switch {
	case p.Ending == 1:
		return cordon + grammar.Agree(len(d.Nodes), "its ", "") + "1 pod; its grace period is " + seconds(longestGrace(p.Ends)) + "."
	case d.AtOnce > 0 && d.AtOnce < len(d.Nodes):
		return fmt.Sprintf("%s%s at a time, all pods of a node at once; the longest grace period is %s.",
			cordon, countNodes(d.AtOnce), seconds(longestGrace(p.Ends)))
	}
	return fmt.Sprintf("%sall %d at once; the longest grace period is %s.", cordon, p.Ending, seconds(longestGrace(p.Ends)))
}

func countNodes(n int) string { return fmt.Sprintf("%d %s", n, grammar.Agree(n, "node", "nodes")) }

// budgetsAllow say what the budgets of the pods allow now: "PDB front allows 1
// disruption now."; "" where none selects one, or none was read.
func (e Ends) budgetsAllow() string {
	var sentences []string
	for i := range e {
		budget := e[i].budget()
		if budget.Name == "" || budget.Allows != BudgetAllows && budget.Allows != BudgetWaits {
			continue
		}
		sentence := fmt.Sprintf("PDB %s allows %d %s now.", model.Clean(budget.Name), budget.Left, grammar.Agree(int(budget.Left), "disruption", "disruptions"))
		if !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return namedSentences(sentences, "PDBs")
}

// namedSentences join a few sentences and count the rest.
func namedSentences(sentences []string, rest string) string {
	if len(sentences) > few {
		return fmt.Sprintf("%s And %d more %s.", strings.Join(sentences[:few], " "), len(sentences)-few, rest)
	}
	return strings.Join(sentences, " ")
}

// Words count the pods that stay: "3 stay: 2 of DaemonSets, 1 static pod";
// "" where all go.
func (s Stays) Words() string {
	if len(s) == 0 {
		return ""
	}
	counts := map[StayReason]int{}
	for _, stay := range s {
		counts[stay.Why]++
	}
	var words []string
	if n := counts[OfDaemonSet]; n > 0 {
		words = append(words, fmt.Sprintf("%d %s", n, grammar.Agree(n, "of a DaemonSet", "of DaemonSets")))
	}
	if n := counts[StaticPod]; n > 0 {
		words = append(words, fmt.Sprintf("%d %s", n, grammar.Agree(n, "static pod", "static pods")))
	}
	return fmt.Sprintf("%d %s: %s", len(s), grammar.Agree(len(s), "stays", "stay"), strings.Join(words, ", "))
}

// Words are what the API server said to the dry run, word for word where it refused.
func (v Verdict) Words() string {
	switch {
	case len(v.Refused) > 0:
		refused := make([]string, 0, len(v.Refused))
		for _, said := range v.Refused {
			refused = append(refused, model.Clean(said))
		}
		return "kube-apiserver: " + namedSentences(refused, "refusals")
	case v.Skipped != "":
		return "Not tried: " + model.Clean(v.Skipped) + "."
	case v.Untried > 0:
		return fmt.Sprintf("kube-apiserver accepts it (dry run), with %s not tried.", CountPods(v.Untried))
	case v.Asked:
		return "kube-apiserver accepts it (dry run)."
	}
	return "Not tried."
}

// Closing is the last sentence before the question: the API server's verdict,
// and what takes the plan back.
func (p *Plan) Closing() string { return strings.TrimSpace(p.Verdict.Words() + " " + p.UndoSays) }
