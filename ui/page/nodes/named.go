package nodes

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Named is the page of some nodes that another page names together.
type Named struct {
	*Page
	path  []string // its crumbs
	about string   // what they have in common
	names []string
}

// NewNamed is the page of the nodes of those names, in their order.
func NewNamed(h page.Host, path []string, about string, names []string) *Named {
	p := &Named{Page: New(h), path: path, about: about, names: names}
	p.Self, p.Natural = p, named(h, names)
	p.warns.Self, p.Around.After = p, nil
	return p
}

// named are the nodes of those names that still exist.
func named(h page.Host, names []string) func() []*model.Node {
	return func() []*model.Node {
		found := make([]*model.Node, 0, len(names))
		for _, name := range names {
			if node, ok := h.Observed().Snapshot.Node(name); ok {
				found = append(found, node)
			}
		}
		return slices.Clip(found)
	}
}

// Crumbs implements page.View.
func (p *Named) Crumbs() []string { return p.path }

// Answer implements page.View.
func (p *Named) Answer(width int) string {
	if words := p.Query().NothingKept(); words != "" {
		return words
	}
	return p.Query().Filtered(p.about, width)
}
