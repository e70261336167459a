// Package nodemap is the page that shows many nodes at once: one cell a node, in rows by
// pool and zone.
package nodemap

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Source says which nodes a map shows.
type Source struct {
	Crumbs []string             // of the page that opens the map
	All    func() []*model.Node // those of the newest snapshot, before the filter
	Filter string               // the filter of Nodes that is in force; "" is none
	At     string               // the name of the node that is selected first; "" is the first one
}

// Of is the map of all nodes.
func Of(h page.Host, at string) Source {
	return Source{Crumbs: []string{"nodes"}, All: func() []*model.Node { return h.Observed().Snapshot.Nodes }, At: at}
}

// Why is the explanation of a pod of which a map shows the reasons. It explains for the
// map while that is on top.
type Why interface {
	// Reason is what rejects a node in a word or two, Fits, or "" where that is unknown.
	Reason(node string) string
	// Words are all that rejects a node.
	Words(node string) string
	// Verdict is how many nodes fit: "0 of 12 nodes fit"; it is not ok, and says why, where
	// there are no reasons.
	Verdict() (words string, ok bool)
	// OpenGroup opens the nodes with the reasons of a node.
	OpenGroup(node string) tea.Cmd
	// Lend explains for a map, as of a snapshot; the map is told by Explained.
	Lend(to *Page, s *model.Snapshot) tea.Cmd
	// Leave ends that.
	Leave()
}

// Fits is the Reason of a node on which the pod fits.
const Fits = "fits"

// Page is the page.
type Page struct {
	page.Base
	source  Source
	why     Why // nil: the map is not about a pod
	keeps   keeps
	grid    grid
	by      grouping
	shows   int // which of the measures
	all     []measure
	gone    *model.Node // the selected one, which no longer exists; nil: it does
	summary summary

	groupings []grouping // that there are for the nodes; nil: not asked for yet
}

// New is a map of the nodes of a source.
func New(h page.Host, source Source) *Page {
	p := &Page{source: source, by: byPoolAndZone}
	p.Host, p.keeps.text = h, source.Filter
	return p
}

// NewWhy is a map of the reasons why a pod does not fit.
func NewWhy(h page.Host, source Source, why Why) *Page {
	p := New(h, source)
	p.why = why
	return p
}

// Explains reports whether the map shows what the scheduler's plugins answer.
func (p *Page) Explains() bool { return p.why != nil }

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		cmd := p.renew()
		if p.why != nil {
			cmd = tea.Batch(cmd, p.why.Lend(p, msg.Snapshot))
		}
		return cmd
	case page.Answer[*query.Filtered[*model.Node]]:
		return p.onFiltered(msg)
	case tea.MouseWheelMsg:
		p.grid.down(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		if p.grid.click(msg.X, msg.Y) {
			return p.Host.Press(keymap.Open, p)
		}
	}
	return nil
}

// Explained takes newer reasons.
func (p *Page) Explained() tea.Cmd {
	p.count()
	return nil
}

// renew takes the nodes of the newest snapshot.
func (p *Page) renew() tea.Cmd {
	nodes := p.source.All()
	if p.keeps.text == "" {
		p.take(nodes)
		return nil
	}
	kept, cmd := p.keeps.ask(p, nodes)
	if kept {
		p.take(p.keeps.last.Rows)
	}
	return cmd
}

// onFiltered takes the nodes that the filter keeps.
func (p *Page) onFiltered(msg page.Answer[*query.Filtered[*model.Node]]) tea.Cmd {
	if !p.keeps.question.Takes(msg) {
		return nil
	}
	if msg.Err != nil {
		return p.Host.SayError(msg.Err)
	}
	p.keeps.last = msg.Value
	p.take(msg.Value.Rows)
	if p.keeps.stale {
		return p.renew()
	}
	return nil
}

// take lays nodes out. The selected one stays so; where it no longer exists, it stays as
// gone until the next key.
func (p *Page) take(nodes []*model.Node) {
	selected := p.grid.selected()
	p.gone = nil
	if selected == nil {
		if at := slices.IndexFunc(nodes, func(n *model.Node) bool { return n.Name == p.source.At }); at >= 0 {
			selected = nodes[at]
		}
	} else if !slices.ContainsFunc(nodes, func(n *model.Node) bool { return uidOf(n) == uidOf(selected) }) && !exists(p.Host, selected) {
		p.gone = selected
		nodes = append(slices.Clone(nodes), selected)
	}
	p.lay(nodes, selected)
}

// exists reports whether a node still exists. One that is not shown then is left out by the
// filter.
func exists(h page.Display, n *model.Node) bool {
	now, ok := h.Observed().Snapshot.Node(n.Name)
	return ok && uidOf(now) == uidOf(n)
}

// lay lays nodes out in rows, with one of them selected.
func (p *Page) lay(nodes []*model.Node, selected *model.Node) {
	title := ""
	if p.shows < len(p.all) {
		title = p.all[p.shows].title()
	}
	p.all, p.groupings = measuresOf(p.Host, p.why, nodes), nil
	p.shows = max(slices.IndexFunc(p.all, func(m measure) bool { return m.title() == title }), 0)
	p.group(nodes, selected)
}

// group puts nodes in rows, with one of them selected.
func (p *Page) group(nodes []*model.Node, selected *model.Node) {
	var tainted map[string]bool
	if p.why == nil { // else a letter is a reason
		tainted = taintedPools(p.Host.Observed().Snapshot.Nodes)
	}
	p.grid.lay(nodes, p.by, tainted)
	if selected != nil {
		p.grid.selectUID(uidOf(selected))
	}
	p.grid.wrap(p.Width, p.Height-legendLines)
	p.count()
}

// Settle lets go of a node that is gone.
func (p *Page) Settle() {
	if p.gone == nil {
		return
	}
	gone := p.gone
	p.gone = nil
	nodes := slices.DeleteFunc(slices.Clone(p.grid.nodes), func(n *model.Node) bool { return n == gone })
	selected := p.grid.selected()
	if selected == gone && len(nodes) > 0 {
		selected = nodes[min(p.grid.at, len(nodes)-1)]
	}
	p.lay(nodes, selected)
}

// Resize implements page.View.
func (p *Page) Resize(width, height int) {
	p.Base.Resize(width, height)
	p.grid.wrap(width, height-legendLines)
}

// Leave ends what was asked for this page.
func (p *Page) Leave() {
	p.keeps.question.End()
	if p.why != nil {
		p.why.Leave()
	}
}

// ShowsUsage reports that the map can show usage.
func (p *Page) ShowsUsage() bool { return true }

func uidOf(n *model.Node) types.UID { return n.Object.UID }
