// Package group is the page of one group of nodes that reject a pod for the same reasons.
package group

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// Why is the page about a pod, of which a group is shown. It explains for the page of
// the group too.
type Why interface {
	// Crumbs are the list that one came from, and the pod.
	Crumbs() []string
	// Explanation is what it shows now.
	Explanation() *why.Page
	// UID is the pod's.
	UID() types.UID
	// Off tells why a key about the pod can do nothing; "" if it can.
	Off(do keymap.Action) string
	// Act does what a key about the pod asks for.
	Act(do keymap.Action) tea.Cmd
	// Lend explains for the page of a group, which is on top, as of a snapshot.
	Lend(to *Page, s *model.Snapshot) tea.Cmd
	// Leave ends that.
	Leave()
}

// Page is the page of one group of Why: its nodes with the figures behind
// their rejection, and the pods that request most of what the selected one lacks.
type Page struct {
	list.Page[*model.Node, *row]
	why       Why // whose group it is; it explains for this page too
	group     *report.Group
	over      bool                  // the newest report has no such group
	resources []corev1.ResourceName // those that have figures
	shown     int                   // which of them the columns are about
	Holders   *Holders
}

// row is one row: a node, and what rejects it.
type row struct {
	node     *model.Node
	refusals []report.Refusal
	figures  []figures.Shortage
}

// New opens a group, the closest node first.
func New(h page.Host, of Why, g *report.Group) *Page {
	p := &Page{why: of, group: g}
	p.Host, p.Self, p.Noun, p.Rows, p.Natural = h, p, "node", p.nodesOf, p.nodes
	p.Fields = func() *query.Fields[*model.Node] {
		return query.NodeFields(h.Observed().AsOf(), h.Observed().Snapshot.Usage)
	}
	p.Holders = newHolders(h)
	p.choose(g)
	return p
}

// choose takes the group as it is now, and the columns that fit it.
func (p *Page) choose(g *report.Group) {
	before := p.resource()
	p.group, p.resources = g, p.resourcesOf(g)
	p.shown = max(slices.Index(p.resources, before), 0)
	p.column()
}

// resource is the one that the columns are about; "" where there are no figures.
func (p *Page) resource() corev1.ResourceName {
	if len(p.resources) == 0 {
		return ""
	}
	return p.resources[p.shown]
}

// resourcesOf are those that a group's nodes lack; where nothing rejects them,
// those that the pod requests.
func (p *Page) resourcesOf(g *report.Group) []corev1.ResourceName {
	var found []corev1.ResourceName
	for _, name := range g.Nodes {
		node, ok := p.Host.Observed().Snapshot.Node(name)
		if !ok {
			continue
		}
		for _, s := range p.why.Explanation().FiguresOf(g, node, p.refusalsOf(g, name)) {
			if !slices.Contains(found, s.Resource) {
				found = append(found, s.Resource)
			}
		}
		break // all nodes of a group lack the same
	}
	return found
}

// refusalsOf are the rejections of one node that the group is about: what holds
// for all nodes at once has a group of its own.
func (p *Page) refusalsOf(g *report.Group, name string) []report.Refusal {
	if g.OverAll() {
		return g.Refusals
	}
	return slices.DeleteFunc(slices.Clone(p.why.Explanation().RefusalsOn(name, g)), func(r report.Refusal) bool { return r.PreFilter })
}

// nodes are those of the group that still exist, the closest first.
func (p *Page) nodes() []*model.Node {
	rows := make([]*model.Node, 0, len(p.group.Nodes))
	for _, name := range p.group.Nodes {
		if node, ok := p.Host.Observed().Snapshot.Node(name); ok {
			rows = append(rows, node)
		}
	}
	return rows
}

// nodesOf are the rows: what rejects each node, and the figures behind it.
func (p *Page) nodesOf(nodes []*model.Node) []*row {
	rows := make([]*row, len(nodes))
	draw := p.why.Explanation()
	for i, node := range nodes {
		refusals := p.refusalsOf(p.group, node.Name)
		rows[i] = &row{node, refusals, draw.FiguresOf(p.group, node, refusals)}
	}
	return rows
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	return append(slices.Clone(p.why.Crumbs()), why.GroupName(p.group))
}

// Update takes snapshots, the answers about evictions, and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		cmd = tea.Batch(p.why.Lend(p, msg.Snapshot), p.Page.Update(msg))
	case page.Answer[[]report.Eviction]:
		cmd = p.Holders.onEvictions(msg, p)
	case page.Rested[[]report.Eviction]:
		p.Holders.asks.IsRested(msg)
	case tea.MouseWheelMsg:
		p.walk(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		cmd = p.OnClick(msg.X, msg.Y)
	default:
		cmd = p.Page.Update(msg)
	}
	return tea.Batch(cmd, p.hold())
}

// Explained takes the group from a newer explanation: the one with the same
// plugins that has most of its nodes.
func (p *Page) Explained() tea.Cmd {
	best, most := (*report.Group)(nil), 0
	for i := range p.why.Explanation().Table.Rows {
		g := &p.why.Explanation().Table.Rows[i]
		if !slices.Equal(g.Plugins(), p.group.Plugins()) || (g.Fits == nil) != (p.group.Fits == nil) {
			continue
		}
		if n := shared(g.Nodes, p.group.Nodes); n > most {
			best, most = g, n
		}
	}
	if p.over = most == 0; p.over {
		return nil // the old group stays on the screen
	}
	p.choose(best)
	return tea.Batch(p.Query().Arrange(list.Renewed), p.hold())
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

// Leave ends what was asked for this page.
func (p *Page) Leave() {
	p.why.Leave()
	p.Holders.leave()
}

// Answer says how many nodes are rejected, by what, and what is sufficient.
func (p *Page) Answer(width int) string {
	if p.over {
		return "No node is in this group now. Before: " + p.sentence()
	}
	if words := p.Query().NothingKept(); words != "" {
		return words
	}
	return p.Query().Filtered(p.sentence(), width)
}

func (p *Page) sentence() string {
	g := p.group
	switch {
	case len(g.Refusals) == 0 && g.Fits == nil:
		return figures.Count(g.Count, "node is", "nodes are") + " not evaluated: " + p.openWords() + "."
	case len(g.Refusals) == 0:
		return figures.Count(g.Count, "node fits", "nodes fit") + "."
	}
	said := figures.Count(g.Count, "node", "nodes") + " rejected "
	if len(g.Refusals) == 1 && g.Rejects(figures.FitPlugin) && len(p.resources) > 0 {
		return said + "only for " + p.tooLittle() + "." + p.sufficient()
	}
	said += rejectedBy(g) + ": "
	return said + strings.TrimSuffix(p.Host.Observed().Brief(g.Words), ".") + "."
}

// openWords say why nodes could not be evaluated.
func (p *Page) openWords() string {
	var all []string
	if r := p.why.Explanation().Report; r != nil {
		for _, part := range r.Unknown {
			if len(part.Plugins) == 0 {
				continue // not about nodes
			}
			all = append(all, model.Clean(part.Why))
		}
	}
	if len(all) == 0 {
		return "reason unknown"
	}
	return figures.Named(all)
}

// tooLittle names what the nodes lack.
func (p *Page) tooLittle() string {
	var little []string
	for _, name := range p.resources {
		if name != corev1.ResourcePods {
			little = append(little, model.Clean(string(name)))
		}
	}
	said := "insufficient " + figures.Joined(little)
	if slices.Contains(p.resources, corev1.ResourcePods) {
		if len(little) == 0 {
			return "too many pods"
		}
		said += ", and too many pods"
	}
	return said
}

// sufficient names what else the pod requests, of which all the nodes have enough.
func (p *Page) sufficient() string {
	if p.why.Explanation().Report == nil {
		return ""
	}
	var enough []string
	for name := range p.why.Explanation().Report.Pod.Requests {
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
		return " " + grammar.Capital(enough[0]) + " is sufficient."
	}
	return " " + grammar.Capital(figures.Joined(enough)) + " are sufficient."
}

// rejectedBy names the plugins that reject a group's nodes: "only by taint", "by taint, resources".
func rejectedBy(g *report.Group) string {
	if plugins := g.Plugins(); len(plugins) > 1 {
		return "by " + strings.Join(plugins, ", ")
	}
	return "only by " + strings.Join(g.Plugins(), "")
}

// Targets of a group's page are its nodes, or the pod that the cursor is on.
func (p *Page) Targets() page.Targets {
	if on := p.Selected(); on.Pod != nil {
		return page.Targets{Pods: []*model.Pod{on.Pod}}
	}
	var t page.Targets
	rows, gone := p.Table.Acted()
	if gone {
		t.Gone = rows[0].node.Name
	}
	for _, row := range rows {
		t.Nodes = append(t.Nodes, row.node)
	}
	return t
}
