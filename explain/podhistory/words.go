package podhistory

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Sentence says since when the verdict holds, and which pods took the capacity, as far as that is
// known.
func (h *History) Sentence() string {
	if len(h.Spans) == 0 {
		return "Searching the steps before."
	}
	now := h.Spans[0]
	last := h.Spans[len(h.Spans)-1].First
	step, _ := h.Since()
	switch {
	case !h.Done:
		return fmt.Sprintf("Searching: %s from step %d on; step %d is next.", lowered(now.Verdict), step, max(last-1, 1))
	case h.Fitted != nil && now.Verdict == report.Unschedulable && h.cameAfter(h.Fitted.Next):
		return fmt.Sprintf("No node would have fit since step %d: %s.", h.Fitted.Next, h.Fitted.words())
	case h.Fitted != nil && now.Verdict == report.Unschedulable:
		return fmt.Sprintf("No node has fit since step %d: %s.", h.Fitted.Next, h.Fitted.words())
	case step == 1 && now.Verdict == report.Unschedulable:
		return "No node fit at any step."
	case step <= 1:
		return fmt.Sprintf("From the first step on, %s.", lowered(now.Verdict))
	}
	return fmt.Sprintf("From step %d on, %s.", step, lowered(now.Verdict))
}

// cameAfter says whether the pod is known to have been created after the step.
func (h *History) cameAfter(step int) bool {
	came, known := h.Came()
	return known && came > step
}

// lowered is a verdict as a clause.
func lowered(v report.Verdict) string {
	switch v {
	case report.Unschedulable:
		return "no node fits"
	case report.Schedulable:
		return "a node fits"
	case report.Gated:
		return "the pod is gated"
	case report.NotConsidered:
		return "no scheduler considers it"
	case report.NotCreated:
		return "the pod is not created"
	case report.Preempting:
		return "its victims are terminating"
	case report.Scheduled:
		return "the pod is scheduled"
	}
	return "it is unknown"
}

// words name the pods that took the capacity, in a clause.
func (f *Fitted) words() string {
	takers := f.takers()
	switch len(takers) {
	case 0:
	case 1:
		return takers[0].Name + " took the capacity on " + takers[0].Node
	default:
		return fmt.Sprintf("%s and %d more took the capacity", takers[0].Name, len(takers)-1)
	}
	for _, n := range f.Nodes {
		if len(n.Changes) > 0 {
			return n.Name + " " + n.Changes[0]
		}
	}
	return "what changed on " + f.names() + " is unknown"
}

// takers are those of all nodes, each once.
func (f *Fitted) takers() []Taker {
	var all []Taker
	seen := map[Taker]bool{}
	for _, n := range f.Nodes {
		for _, t := range n.Takers {
			if !seen[t] {
				all = append(all, t)
			}
			seen[t] = true
		}
	}
	return all
}

// names are those of the nodes, three at most.
func (f *Fitted) names() string {
	const few = 3
	var names []string
	for _, n := range f.Nodes[:min(few, len(f.Nodes))] {
		names = append(names, n.Name)
	}
	if more := len(f.Nodes) - few; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// Happened is what changed on the node until the next step, in clauses.
func (n *FittedNode) Happened() []string {
	words := append([]string{}, n.Changes...)
	for _, t := range n.Takers {
		where := ""
		if t.Node != n.Name {
			where = "on " + t.Node + " "
		}
		words = append(words, fmt.Sprintf("%s/%s was scheduled %swith %s", t.Namespace, t.Name, where, t.Holds))
	}
	switch {
	case len(n.Takers) == 1:
		words = append(words, "without it the pod would fit")
	case len(n.Takers) > 1 && n.Alone:
		words = append(words, "without any one of them the pod would fit")
	case len(n.Takers) > 1:
		words = append(words, "without all of them the pod would fit")
	case n.Untold != "":
		words = append(words, n.Untold)
	case len(words) == 0:
		words = append(words, "unchanged, and no new pod took its capacity: it rejects the pod for another reason")
	}
	return words
}
