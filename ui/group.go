package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// groupPage is the page of one group of Why: its nodes with the figures that fit
// what refuses them, and who holds what is short on the selected one.
type groupPage struct {
	list[*model.Node, *groupNode]
	why       *whyView // whose group it is; it explains for this page too
	group     why.Group
	over      bool                  // no nodes are refused so any more
	resources []corev1.ResourceName // those that have figures
	shown     int                   // which of them the columns are about
	holders   *holdersPart
}

// groupNode is one row: a node, and what refuses it.
type groupNode struct {
	node     *model.Node
	refusals []report.Refusal
	figures  []figures.Shortage
}

// newGroupPage opens a group, the nearest node first.
func newGroupPage(w *whyView, g why.Group) *groupPage {
	p := &groupPage{why: w, group: g}
	p.app, p.self, p.noun, p.rows, p.natural = w.app, p, "node", p.nodesOf, p.nodes
	p.fields = func() *query.Fields[*model.Node] {
		return query.NodeFields(p.app.observed.asOf(), p.app.observed.snapshot.Usage)
	}
	p.holders = newHoldersPart(p.app)
	p.choose(g)
	return p
}

// choose takes the group as it is now, and the columns that fit it.
func (p *groupPage) choose(g why.Group) {
	before := p.resource()
	p.group, p.resources = g, p.resourcesOf(g)
	p.shown = max(slices.Index(p.resources, before), 0)
	p.column()
}

// resource is the one that the columns are about; "" where no room is lacking.
func (p *groupPage) resource() corev1.ResourceName {
	if len(p.resources) == 0 {
		return ""
	}
	return p.resources[p.shown]
}

// resourcesOf are those that a group's nodes have too little of; where nothing
// refuses them, those that the pod requests.
func (p *groupPage) resourcesOf(g why.Group) []corev1.ResourceName {
	var found []corev1.ResourceName
	for _, name := range g.Nodes {
		node, ok := p.app.observed.snapshot.Node(name)
		if !ok {
			continue
		}
		for _, s := range p.why.dressed().FiguresOf(g, node, p.refusalsOf(g, name)) {
			if !slices.Contains(found, s.Resource) {
				found = append(found, s.Resource)
			}
		}
		break // all nodes of a group lack the same
	}
	return found
}

// refusalsOf are those of one node that the group is about: what holds for all
// nodes at once has a group of its own.
func (p *groupPage) refusalsOf(g why.Group, name string) []report.Refusal {
	if why.OverAll(g) {
		return g.Refusals
	}
	return slices.DeleteFunc(slices.Clone(p.why.draw.RefusalsOn(name, g)), func(r report.Refusal) bool { return r.PreFilter })
}

// nodes are those of the group that are still there, the nearest first.
func (p *groupPage) nodes() []*model.Node {
	rows := make([]*model.Node, 0, len(p.group.Nodes))
	for _, name := range p.group.Nodes {
		if node, ok := p.app.observed.snapshot.Node(name); ok {
			rows = append(rows, node)
		}
	}
	return rows
}

// nodesOf are the rows: what refuses each node, and the figures behind it.
func (p *groupPage) nodesOf(nodes []*model.Node) []*groupNode {
	rows := make([]*groupNode, len(nodes))
	draw := p.why.dressed()
	for i, node := range nodes {
		refusals := p.refusalsOf(p.group, node.Name)
		rows[i] = &groupNode{node, refusals, draw.FiguresOf(p.group, node, refusals)}
	}
	return rows
}

func (p *groupPage) crumbs() []string {
	return []string{p.why.crumbs()[0], p.why.title(), p.group.Name()}
}

// update takes snapshots, the answers about evictions, and the mouse.
func (p *groupPage) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case snapshotMsg:
		p.why.lent = p
		cmd = tea.Batch(p.why.onSnapshot(msg.snapshot), p.list.update(msg))
	case evictionsMsg:
		cmd = p.holders.onTold(msg, p)
	case evictAgainMsg:
		p.holders.again(msg)
	case tea.MouseWheelMsg:
		p.walk(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		cmd = p.onClick(msg.X, msg.Y)
	default:
		cmd = p.list.update(msg)
	}
	return tea.Batch(cmd, p.hold())
}

// explained takes the group from a newer explanation: the one with the same
// plugins that has most of its nodes.
func (p *groupPage) explained() tea.Cmd {
	best, most := why.Group{}, 0
	for _, g := range p.why.draw.Groups {
		if !slices.Equal(g.Plugins(), p.group.Plugins()) || (g.Fits == nil) != (p.group.Fits == nil) {
			continue
		}
		if n := shared(g.Nodes, p.group.Nodes); n > most {
			best, most = g, n
		}
	}
	if p.over = most == 0; p.over {
		return nil // what was stays on the screen
	}
	p.choose(best)
	return tea.Batch(p.arrange(renewed), p.hold())
}

// shared counts what two lists have in common.
func shared(a, b []string) int {
	in := make(map[string]bool, len(a))
	for _, name := range a {
		in[name] = true
	}
	n := 0
	for _, name := range b {
		if in[name] {
			n++
		}
	}
	return n
}

// leave ends what was asked for this page.
func (p *groupPage) leave() {
	p.why.leave()
	p.why.lent = nil
	p.holders.leave()
}

// answer says how many nodes are refused, by what, and what is no trouble.
func (p *groupPage) answer(width int) string {
	if p.over {
		return "No node is refused so any more. It was: " + p.sentence()
	}
	if words := p.nothingKept(); words != "" {
		return words
	}
	return p.filtered(p.sentence(), width)
}

func (p *groupPage) sentence() string {
	g := p.group
	switch {
	case len(g.Refusals) == 0 && g.Fits == nil:
		return figures.Count(g.Count, "node is", "nodes are") + " not decided: " + p.openWords() + "."
	case len(g.Refusals) == 0:
		return figures.Count(g.Count, "node fits", "nodes fit") + "."
	}
	said := figures.Count(g.Count, "node refuses", "nodes refuse") + " by " + g.Name() + ": "
	if len(g.Refusals) == 1 && g.Refuses(figures.FitPlugin) && len(p.resources) > 0 {
		return said + p.tooLittle() + "." + p.sufficient()
	}
	return said + strings.TrimSuffix(p.app.observed.brief(g.Words), ".") + "."
}

// openWords say why nodes are not decided.
func (p *groupPage) openWords() string {
	var all []string
	if r := p.why.draw.Report; r != nil {
		for _, part := range r.Unknown {
			if len(part.Plugins) == 0 {
				continue // not about nodes
			}
			all = append(all, model.Clean(part.Why))
		}
	}
	if len(all) == 0 {
		return "why is not known"
	}
	return figures.Named(all)
}

// tooLittle names what the nodes are short of.
func (p *groupPage) tooLittle() string {
	var little []string
	for _, name := range p.resources {
		if name != corev1.ResourcePods {
			little = append(little, model.Clean(string(name)))
		}
	}
	said := "too little " + figures.Joined(little)
	if slices.Contains(p.resources, corev1.ResourcePods) {
		if len(little) == 0 {
			return "no room for one more pod"
		}
		said += ", and no room for one more pod"
	}
	return said
}

// sufficient names what else the pod asks for, of which all the nodes have enough.
func (p *groupPage) sufficient() string {
	if p.why.draw.Report == nil {
		return ""
	}
	var enough []string
	for name := range p.why.draw.Report.Pod.Requests {
		if !slices.Contains(p.resources, corev1.ResourceName(name)) {
			enough = append(enough, model.Clean(name))
		}
	}
	slices.SortFunc(enough, figures.CompareResources)
	if !slices.Contains(p.resources, corev1.ResourcePods) {
		enough = append(enough, "pod count")
	}
	switch len(enough) {
	case 0:
		return ""
	case 1:
		return " " + grammar.Capital(enough[0]) + " suffices."
	}
	return " " + grammar.Capital(figures.Joined(enough)) + " suffice."
}
