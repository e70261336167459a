package ui

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// groupNodes is the page of the nodes of one group of Why.
type groupNodes struct {
	*nodes
	group whyGroup
	pod   string // whose Why it was opened from
}

// newGroupNodes opens the Nodes page on a group's nodes, the nearest first.
func newGroupNodes(a *App, pod string, g whyGroup) *groupNodes {
	n := &groupNodes{newNodes(a), g, pod}
	n.self = n
	n.natural = func() []*model.Node {
		rows := make([]*model.Node, 0, len(g.nodes))
		for _, name := range g.nodes {
			if node, ok := a.snapshot.Node(name); ok {
				rows = append(rows, node)
			}
		}
		return rows
	}
	return n
}

func (n *groupNodes) crumbs() []string { return []string{"pending", n.pod, n.group.name()} }

func (n *groupNodes) answer(int) string {
	if len(n.group.refusals) == 0 {
		return count(n.group.count, "node fits", "nodes fit") + "."
	}
	return count(n.group.count, "node refuses", "nodes refuse") + " by " + n.group.name() + ": " +
		strings.TrimSuffix(n.app.brief(n.group.words), ".") + "."
}
