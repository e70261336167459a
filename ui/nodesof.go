package ui

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// nodesOf is the page of some nodes that another page names together.
type nodesOf struct {
	*nodes
	path  []string // its crumbs
	about string   // what they have in common
	names []string
}

// newNodesOf opens the nodes of those names, in their order.
func newNodesOf(a *App, path []string, about string, names []string) *nodesOf {
	p := &nodesOf{nodes: newNodes(a), path: path, about: about, names: names}
	p.Self, p.Natural = p, p.named(names)
	return p
}

// named are the nodes of those names that still exist.
func (n *nodes) named(names []string) func() []*model.Node {
	return func() []*model.Node {
		found := make([]*model.Node, 0, len(names))
		for _, name := range names {
			if node, ok := n.app.observed.Snapshot.Node(name); ok {
				found = append(found, node)
			}
		}
		return slices.Clip(found)
	}
}

func (p *nodesOf) Crumbs() []string { return p.path }

func (p *nodesOf) Answer(width int) string {
	if words := p.NothingKept(); words != "" {
		return words
	}
	return p.Filtered(p.about, width)
}
