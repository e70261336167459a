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

// orderWords say in which order pods are evicted, and how long that takes at most;
// "" where no pods are terminated.
func (p *Plan) orderWords() string {
	if p.PodsTerminated == 0 {
		return ""
	}
	switch action := p.Action.(type) {
	case Drain:
		return "Order: " + action.order(p)
	case Evict:
		return strings.TrimSpace(p.Ends.budgetsAllow() + " " + p.Ends.graceWords() + ".")
	}
	if len(p.Ends) == 0 {
		return ""
	}
	return p.Ends.graceWords() + "."
}

// graceWords give the longest grace period, or the only one.
func (e Ends) graceWords() string {
	if len(e) == 1 {
		return "Grace period " + seconds(e[0].Grace)
	}
	return "Longest grace period " + seconds(longestGrace(e))
}

// order says in which order a drain evicts the pods of its plan.
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
	longest := "longest grace period " + seconds(longestGrace(p.Ends)) + "."
	switch {
	case p.PodsTerminated == 1:
		return cordon + "evict 1 pod; grace period " + seconds(longestGrace(p.Ends)) + "."
	case d.AtOnce > 0 && d.AtOnce < len(d.Nodes):
		return fmt.Sprintf("%sdrain %s at a time, the pods of each in parallel; %s", cordon, countNodes(d.AtOnce), longest)
	}
	return fmt.Sprintf("%sevict all %d pods in parallel; %s", cordon, p.PodsTerminated, longest)
}

func countNodes(n int) string { return fmt.Sprintf("%d %s", n, grammar.Agree(n, "node", "nodes")) }

// budgetsAllow says what the budgets of the pods allow now: "PDB front allows 1
// disruption now."; "" where none selects one, or none was read.
func (e Ends) budgetsAllow() string {
	var sentences []string
	for i := range e {
		budget := e[i].Budget()
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

// namedSentences joins a few sentences and counts the rest.
func namedSentences(sentences []string, rest string) string {
	if len(sentences) > few {
		return fmt.Sprintf("%s And %d more %s.", strings.Join(sentences[:few], " "), len(sentences)-few, rest)
	}
	return strings.Join(sentences, " ")
}

// Words count the pods that are not evicted: "3 not evicted: 2 DaemonSet pods, 1
// static pod"; "" where all are.
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
		words = append(words, fmt.Sprintf("%d %s", n, grammar.Agree(n, "DaemonSet pod", "DaemonSet pods")))
	}
	if n := counts[StaticPod]; n > 0 {
		words = append(words, fmt.Sprintf("%d %s", n, grammar.Agree(n, "static pod", "static pods")))
	}
	return fmt.Sprintf("%d not evicted: %s", len(s), strings.Join(words, ", "))
}

// Words are the API server's answer to the dry run, verbatim where it rejected it.
func (v Verdict) Words() string {
	switch {
	case len(v.Rejections) > 0:
		refused := make([]string, 0, len(v.Rejections))
		for _, said := range v.Rejections {
			refused = append(refused, model.Clean(said))
		}
		return "kube-apiserver: " + namedSentences(refused, "rejections")
	case v.Skipped != "":
		return "No dry run: " + model.Clean(v.Skipped) + "."
	case v.Blocked > 0:
		return fmt.Sprintf("kube-apiserver rejects %s for now (dry run); fathom retries until %s allowed.",
			grammar.Plural(v.Blocked, "eviction"), grammar.Agree(v.Blocked, "it is", "they are"))
	case v.Untried > 0:
		return fmt.Sprintf("kube-apiserver accepts %s (dry run; %s not tried).", v.what(), CountPods(v.Untried))
	case v.Asked && v.Waiting > 0:
		return "kube-apiserver accepts the rest (dry run; blocked evictions not tried)."
	case v.Asked:
		return "kube-apiserver accepts " + v.what() + " (dry run)."
	}
	return "No dry run."
}

// what was tried: everything, or what no budget blocks now.
func (v Verdict) what() string {
	if v.Waiting > 0 {
		return "the rest"
	}
	return "it"
}

// EditWords are the fields that a plan changes, with the object's name before them where
// there are several. Of a drain there are none: its order says that it cordons.
func EditWords(p *Plan, name func(model.Ref) string) []string {
	if _, drains := p.Action.(Drains); drains {
		return nil
	}
	var all []string
	for _, change := range p.Changes {
		for _, edit := range change.Edits {
			words := edit.Words()
			if len(p.Changes) > 1 {
				words = name(change.Target) + words
			}
			all = append(all, words)
		}
	}
	return all
}

// Closing is the last sentence before the question: the API server's verdict, and
// how to undo the plan.
func (p *Plan) Closing() string { return strings.TrimSpace(p.Verdict.Words() + " " + p.UndoSays) }
