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
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// groupPage is the page of one group of Why: its nodes with the figures that fit
// what refuses them, and who holds what is short on the selected one.
type groupPage struct {
	list[*model.Node, *groupNode]
	why       *why // whose group it is; it explains for this page too
	group     whyGroup
	over      bool                  // no nodes are refused so any more
	resources []corev1.ResourceName // those that have figures
	shown     int                   // which of them the columns are about
	holders   *holdersPart
}

// groupNode is one row: a node, and what refuses it.
type groupNode struct {
	node     *model.Node
	refusals []report.Refusal
	figures  []shortage
}

// newGroupPage opens a group, the nearest node first.
func newGroupPage(w *why, g whyGroup) *groupPage {
	p := &groupPage{why: w, group: g}
	p.app, p.self, p.noun, p.rows, p.natural = w.app, p, "node", p.nodesOf, p.nodes
	p.fields = func() *query.Fields[*model.Node] { return query.NodeFields(p.app.asOf(), p.app.snapshot.Usage) }
	p.holders = newHoldersPart(p.app)
	p.choose(g)
	return p
}

// choose takes the group as it is now, and the columns that fit it.
func (p *groupPage) choose(g whyGroup) {
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
func (p *groupPage) resourcesOf(g whyGroup) []corev1.ResourceName {
	var found []corev1.ResourceName
	for _, name := range g.nodes {
		node, ok := p.app.snapshot.Node(name)
		if !ok {
			continue
		}
		for _, s := range p.why.dressed().figuresOf(g, node, p.refusalsOf(g, name)) {
			if !slices.Contains(found, s.resource) {
				found = append(found, s.resource)
			}
		}
		break // all nodes of a group lack the same
	}
	return found
}

// refusalsOf are those of one node that the group is about: what holds for all
// nodes at once has a group of its own.
func (p *groupPage) refusalsOf(g whyGroup, name string) []report.Refusal {
	if overAll(g) {
		return g.refusals
	}
	return slices.DeleteFunc(slices.Clone(p.why.draw.refusalsOn(name, g)), func(r report.Refusal) bool { return r.PreFilter })
}

// nodes are those of the group that are still there, the nearest first.
func (p *groupPage) nodes() []*model.Node {
	rows := make([]*model.Node, 0, len(p.group.nodes))
	for _, name := range p.group.nodes {
		if node, ok := p.app.snapshot.Node(name); ok {
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
		rows[i] = &groupNode{node, refusals, draw.figuresOf(p.group, node, refusals)}
	}
	return rows
}

func (p *groupPage) crumbs() []string {
	return []string{p.why.crumbs()[0], p.why.title(), p.group.name()}
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
	best, most := whyGroup{}, 0
	for _, g := range p.why.draw.groups {
		if !slices.Equal(g.plugins(), p.group.plugins()) || (g.fits == nil) != (p.group.fits == nil) {
			continue
		}
		if n := shared(g.nodes, p.group.nodes); n > most {
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
	case len(g.refusals) == 0 && g.fits == nil:
		return count(g.count, "node is", "nodes are") + " not decided: " + p.openWords() + "."
	case len(g.refusals) == 0:
		return count(g.count, "node fits", "nodes fit") + "."
	}
	said := count(g.count, "node refuses", "nodes refuse") + " by " + g.name() + ": "
	if len(g.refusals) == 1 && g.refuses(fitPlugin) && len(p.resources) > 0 {
		return said + p.tooLittle() + "." + p.sufficient()
	}
	return said + strings.TrimSuffix(p.app.brief(g.words), ".") + "."
}

// openWords say why nodes are not decided.
func (p *groupPage) openWords() string {
	var all []string
	if r := p.why.draw.report; r != nil {
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
	return named(all)
}

// tooLittle names what the nodes are short of.
func (p *groupPage) tooLittle() string {
	var little []string
	for _, name := range p.resources {
		if name != corev1.ResourcePods {
			little = append(little, model.Clean(string(name)))
		}
	}
	said := "too little " + joined(little)
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
	if p.why.draw.report == nil {
		return ""
	}
	var enough []string
	for name := range p.why.draw.report.Pod.Requests {
		if !slices.Contains(p.resources, corev1.ResourceName(name)) {
			enough = append(enough, model.Clean(name))
		}
	}
	slices.SortFunc(enough, compareResources)
	if !slices.Contains(p.resources, corev1.ResourcePods) {
		enough = append(enough, "pod count")
	}
	switch len(enough) {
	case 0:
		return ""
	case 1:
		return " " + grammar.Capital(enough[0]) + " suffices."
	}
	return " " + grammar.Capital(joined(enough)) + " suffice."
}

// joined is a list in words: "a, b and c".
func joined(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
