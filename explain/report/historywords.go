package report

import (
	"fmt"
	"strings"
)

// Sentence says since when it is so, and who took the room, as far as that is known.
func (h *History) Sentence() string {
	if len(h.Spans) == 0 {
		return "Looking back."
	}
	now := h.Spans[0]
	last := h.Spans[len(h.Spans)-1].First
	step, _ := h.Since()
	switch {
	case !h.Done:
		return fmt.Sprintf("Looking back: %s since step %d; step %d is next.", lowered(now.Verdict), step, max(last-1, 1))
	case h.Fitted != nil && now.Verdict == Unschedulable:
		return fmt.Sprintf("No node fits since step %d: %s.", h.Fitted.Next, h.Fitted.words())
	case step == 1 && now.Verdict == Unschedulable:
		return "At none of the steps, from the first on, would a node have taken it."
	case step <= 1:
		return fmt.Sprintf("From the first step on %s.", lowered(now.Verdict))
	}
	return fmt.Sprintf("Since step %d %s.", step, lowered(now.Verdict))
}

// lowered is a verdict as a clause.
func lowered(v Verdict) string {
	switch v {
	case Unschedulable:
		return "no node fits"
	case Schedulable:
		return "a node fits"
	case Gated:
		return "it is gated"
	case NotConsidered:
		return "no scheduler considers it"
	case NotCreated:
		return "it is not created"
	case Preempting:
		return "it waits for pods to end"
	case Scheduled:
		return "it has a node"
	}
	return "it cannot be decided"
}

// words say in a clause who took the room.
func (f *Fitted) words() string {
	takers := f.takers()
	switch len(takers) {
	case 0:
	case 1:
		return takers[0].Name + " took the room on " + takers[0].Node
	default:
		return fmt.Sprintf("%s and %d more took the room", takers[0].Name, len(takers)-1)
	}
	for _, n := range f.Nodes {
		if len(n.Changes) > 0 {
			return n.Name + " " + n.Changes[0]
		}
	}
	return "what happened to " + f.names() + " is not known"
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

// Happened says what happened to the node until the next step, in clauses.
func (n *FittedNode) Happened() []string {
	words := append([]string{}, n.Changes...)
	for _, t := range n.Takers {
		where := ""
		if t.Node != n.Name {
			where = "on " + t.Node + " "
		}
		words = append(words, fmt.Sprintf("%s/%s came %swith %s", t.Namespace, t.Name, where, t.Holds))
	}
	switch {
	case len(n.Takers) == 1:
		words = append(words, "without it the pod would fit here")
	case len(n.Takers) > 1 && n.Alone:
		words = append(words, "without any one of them the pod would fit here")
	case len(n.Takers) > 1:
		words = append(words, "without all of them the pod would fit here")
	case n.Untold != "":
		words = append(words, n.Untold)
	case len(words) == 0:
		words = append(words, "no pod that came took its room, and it is as it was: what keeps the pod away is something else")
	}
	return words
}
