package nodemap

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// measure is the one that is shown.
func (p *Page) measure() measure {
	if len(p.all) == 0 {
		p.all = measuresOf(p.Host, p.why, nil)
	}
	return p.all[p.shows]
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	title := "map of " + p.measure().title()
	if p.by.name != byPoolAndZone.name {
		title += " by " + p.by.name
	}
	return append(slices.Clone(p.source.Crumbs), title)
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	n := p.grid.selected()
	if n == nil {
		return page.Selection{}
	}
	return page.Selection{Ref: model.Ref{Resource: "nodes", Name: n.Name, UID: uidOf(n)}, Node: n, Copy: n.Name}
}

// Targets implements page.Targeter: the selected node.
func (p *Page) Targets() page.Targets {
	n := p.grid.selected()
	switch n {
	case nil:
		return page.Targets{}
	case p.gone:
		return page.Targets{Nodes: []*model.Node{n}, Gone: page.AbsentNode(p.Host.Observed(), n, n.Name)}
	}
	return page.Targets{Nodes: []*model.Node{n}}
}

// Places implements page.View.
func (p *Page) Places() keymap.Place { return keymap.Everywhere | keymap.Lists | keymap.OnCell }

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	open := "node"
	if p.why != nil {
		open = "group"
	}
	made := []page.Key{
		{Do: keymap.Open, Word: open},
		{Do: keymap.NextPart, Word: measureWords(p.all)},
		{Do: keymap.Wide, Word: "by pool/zone/label"},
	}
	return append(made, page.Keys(keymap.Close, keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Describe, keymap.YAML, keymap.More)...)
}

// mostWords is the width of the names of measures in the footer.
const mostWords = 22

// measureWords name the measures for the footer, as many as fit.
func measureWords(all []measure) string {
	words := ""
	for i, m := range all {
		if i > 0 && cells.Width(words+"/"+m.word()) > mostWords {
			return words + "/…"
		}
		if i > 0 {
			words += "/"
		}
		words += m.word()
	}
	return words
}

// notOfMaps are the keys of lists that are not available here.
var notOfMaps = []keymap.Action{keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Preview}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	switch do {
	case keymap.Filter:
		return "filter Nodes (3), then open the map from there."
	case keymap.NodeMap:
		return "this is the map."
	case keymap.Open, keymap.Explain, keymap.Describe, keymap.YAML, keymap.Copy:
		n := p.grid.selected()
		switch {
		case n == nil:
			return "no node is selected."
		case n == p.gone:
			return page.AbsentNode(p.Host.Observed(), n, n.Name)
		case do == keymap.Open && p.why != nil && p.why.Reason(n.Name) == "":
			return n.Name + " is in no group."
		}
	}
	if slices.Contains(notOfMaps, do) {
		return "not available on this page."
	}
	return ""
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if p.grid.act(do) {
		return nil
	}
	switch do {
	case keymap.NextPart, keymap.PrevPart:
		by := 1
		if do == keymap.PrevPart {
			by = len(p.all) - 1
		}
		p.shows = (p.shows + by) % len(p.all)
		p.count()
	case keymap.Wide:
		p.regroup()
	case keymap.Open:
		name := p.grid.selected().Name
		if p.why != nil {
			return p.why.OpenGroup(name)
		}
		return p.Host.OpenPods(name)
	default:
		return p.Host.ActOn(do, p.Selected())
	}
	return nil
}

// regroup puts the same nodes in other rows.
func (p *Page) regroup() {
	if p.groupings == nil {
		p.groupings = groupings(p.grid.nodes)
	}
	at := slices.IndexFunc(p.groupings, func(g grouping) bool { return g.name == p.by.name })
	p.by = p.groupings[(at+1)%len(p.groupings)]
	p.group(p.grid.nodes, p.grid.selected())
}
