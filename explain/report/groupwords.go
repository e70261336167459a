package report

import (
	"slices"
	"strings"
)

// JoinClauses join what stands in the way of a group: the node if it is one, and a
// clause for each plugin in their order. A cordon also sets a taint, and is told
// once.
func (g *Group) JoinClauses() string {
	said := strings.Join(g.ClauseList(), "; ")
	before := Group{Rejections: PreFilterRefusals(g)}
	if len(g.Nodes) == 1 && said != "" && said != strings.Join(before.ClauseList(), "; ") {
		return g.Nodes[0] + ": " + said
	}
	return said
}

// Beside is a clause that stands beside its cause, without repeating it: "disktype=ssd"
// beside "node selector".
func Beside(cause, clause string) string {
	if rest, ok := strings.CutPrefix(clause, cause+" "); ok {
		return rest
	}
	return clause
}

// OverAllNodes says whether only PreFilter refused, which is not about a node.
func (g *Group) OverAllNodes() bool {
	return !slices.ContainsFunc(g.Rejections, func(r Rejection) bool { return !r.PreFilter })
}

// ClauseList are the short words of the group's rejections.
func (g *Group) ClauseList() []string {
	var all []string
	for _, rejection := range g.Rejections {
		said := rejection.Short
		if slices.Contains(all, CordonWord) {
			said = strings.TrimPrefix(strings.TrimPrefix(said, CordonWord), ", ")
		}
		told := func(before string) bool { return strings.HasSuffix(said, before) } // plugins quote each other's errors
		if said != "" && !slices.ContainsFunc(all, told) {
			all = append(all, said)
		}
	}
	return all
}

// Clauses are what stands in the way of the group's nodes, in one line without
// their names.
func (g *Group) Clauses() string { return strings.Join(g.ClauseList(), "; ") }

// PreFilterRefusals are those that hold for all nodes at once.
func PreFilterRefusals(g *Group) []Rejection {
	return slices.DeleteFunc(slices.Clone(g.Rejections), func(r Rejection) bool { return !r.PreFilter })
}

// CordonWord is what both the cordon and its taint are called in clauses.
const CordonWord = "cordoned"
