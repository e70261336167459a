// Package rejectiongroup is the page of one group of nodes that reject a pod for the same reasons.
package rejectiongroup

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// Why is the page about a pod, of which a group is shown. It explains for the page of
// the group too.
type Why interface {
	// Crumbs are the list that one came from, and the pod.
	Crumbs() []string
	// Explanation is what it shows now.
	Explanation() *explanation.Drawing
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
	content content
	over    bool // the newest report has no such group
	parts   parts
	Holders *Holders
}

// New opens a group, the closest node first.
func New(h page.Host, of Why, g *report.Group) *Page {
	p := &Page{content: content{host: h, why: of}, Holders: newHolders(h)}
	p.Host, p.Self, p.Noun, p.Rows, p.Natural = h, p, "node", p.content.rowsOf, p.content.nodes
	p.Fields = func() *query.Fields[*model.Node] {
		return query.NodeFields(h.Observed().AsOf(), h.Observed().Snapshot.Usage)
	}
	p.parts = parts{&p.Page, &p.content, p.Holders}
	p.parts.take(g)
	return p
}

// NewAt opens a group with one of its nodes selected.
func NewAt(h page.Host, of Why, g *report.Group, node string) *Page {
	p := New(h, of, g)
	p.Seeks = func(r *row) bool { return r.node.Name == node }
	return p
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	return append(slices.Clone(p.content.why.Crumbs()), explanation.GroupName(p.content.group))
}

// Update takes snapshots, the answers about evictions, and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		cmd = tea.Batch(p.content.why.Lend(p, msg.Snapshot), p.Page.Update(msg))
	case page.Answer[[]report.Eviction]:
		cmd = p.Holders.onEvictions(msg, p)
	case page.Rested[[]report.Eviction]:
		p.Holders.asks.IsRested(msg)
	case tea.MouseWheelMsg:
		p.parts.walk(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		cmd = p.OnClick(msg.X, msg.Y)
	default:
		cmd = p.Page.Update(msg)
	}
	return tea.Batch(cmd, p.Holders.follow(p))
}

// Explained takes the group from a newer explanation: the one with the same
// plugins that has most of its nodes.
func (p *Page) Explained() tea.Cmd {
	best, most := (*report.Group)(nil), 0
	rows := p.content.why.Explanation().Table.Rows
	for i := range rows {
		g := &rows[i]
		if !slices.Equal(g.Plugins(), p.content.group.Plugins()) || (g.Fits == nil) != (p.content.group.Fits == nil) {
			continue
		}
		if n := shared(g.Nodes, p.content.group.Nodes); n > most {
			best, most = g, n
		}
	}
	if p.over = most == 0; p.over {
		return nil // the old group stays on the screen
	}
	p.parts.take(best)
	return tea.Batch(p.Query().Arrange(list.Renewed), p.Holders.follow(p))
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
	p.content.why.Leave()
	p.Holders.leave()
}

// Answer says how many nodes are rejected, by what, and what is sufficient.
func (p *Page) Answer(width int) string {
	if p.over {
		return "No node is in this group now. Before: " + p.content.sentence()
	}
	if words := p.Query().NothingKept(); words != "" {
		return words
	}
	return p.Query().Filtered(p.content.sentence(), width)
}

// Targets of a group's page are its nodes, or the pod that the cursor is on.
func (p *Page) Targets() page.Targets {
	if on := p.Selected(); on.Pod != nil {
		return page.Targets{Pods: []*model.Pod{on.Pod}}
	}
	t := page.Targets{Marked: len(p.Table.Marks) > 0}
	rows, gone := p.Table.Acted()
	if gone {
		t.Gone = page.AbsentNode(p.Host.Observed(), rows[0].node, rows[0].node.Name)
	}
	for _, row := range rows {
		t.Nodes = append(t.Nodes, row.node)
	}
	return t
}

// Note is what does not fit the selected row: the sentences of what rejects the
// node, or what an eviction of the pod would do.
func (p *Page) Note() string {
	if p.Holders.focused {
		return p.Holders.note()
	}
	n, ok := p.Table.Selected()
	if !ok {
		return p.Page.Note()
	}
	var all []string
	if words := p.content.counting(n); words != "" {
		all = append(all, words)
	}
	if p.content.wordless() && len(all) == 0 {
		return p.Page.Note()
	}
	for _, rejection := range n.rejections {
		if rejection.Plugin != figures.FitPlugin {
			all = append(all, explanation.SentenceOn(n.node.Name, rejection))
		}
	}
	hidden := list.Hidden(&p.Page)
	return page.WithHidden(cells.CutWords(p.Host.Observed().Brief(strings.Join(all, "; ")), page.NoteWidth(p.Width, hidden)-1), hidden, p.Width)
}

// Resize lays the page out again; reasons fit from some width on.
func (p *Page) Resize(width, height int) {
	columns := (p.Width < wordsFrom) != (width < wordsFrom)
	p.Base.Resize(width, height)
	if columns {
		p.parts.column()
	}
	p.parts.lay()
}

// Body implements page.View.
func (p *Page) Body() []string {
	s := p.Host.Styles()
	lines := p.Table.Draw(s)
	if len(p.Holders.Table.Rows) > 0 && p.Holders.Table.Height > 1 {
		lines = append(lines, p.Holders.Table.Draw(s)...)
	}
	return lines
}

// ShowsUsage reports whether the figures include usage.
func (p *Page) ShowsUsage() bool { return p.content.resource() != "" }

// Selected is the node, or the pod that the cursor is on.
func (p *Page) Selected() page.Selection {
	if row, ok := p.Holders.Table.Selected(); ok && p.Holders.focused && row.pod != nil {
		return page.SelectPod(row.pod)
	}
	row, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Ref: model.Ref{Resource: "nodes", Name: row.node.Name, UID: row.node.Object.UID}, Node: row.node, Copy: row.node.Name}
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	if p.Selected().Pod != nil {
		return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	made := page.Keys(keymap.Open, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Fixes, keymap.Words, keymap.Explain, keymap.Label, keymap.Describe, keymap.YAML)
	if p.Selected().Pod != nil {
		made = page.Keys(keymap.Open, keymap.Evict, keymap.Label, keymap.GoNode, keymap.Fixes, keymap.Words, keymap.Describe, keymap.YAML)
	}
	if len(p.content.resources) > 1 {
		next := p.content.resources[(p.content.shown+1)%len(p.content.resources)]
		made = append(made, page.Key{Do: keymap.Right, Label: "→", Word: model.Clean(string(next))})
	}
	return append(made, page.Keys(keymap.Filter, keymap.Sort, keymap.Close)...)
}

// Off says why a key cannot act here.
func (p *Page) Off(do keymap.Action) string {
	on := p.Selected()
	switch {
	case page.AboutPod(do):
		return p.content.why.Off(do)
	case on.Pod != nil:
		return page.OffPod(p.Host.Observed(), do, false, on)
	case do == keymap.Open || do == keymap.Explain || do == keymap.Describe || do == keymap.YAML || do == keymap.Copy:
		if on.Node == nil {
			return "no node is selected."
		}
		if p.Table.SelectedGone() {
			return page.AbsentNode(p.Host.Observed(), on.Node, on.Node.Name)
		}
	}
	return ""
}

// Act does what a key asks for.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	switch {
	case page.AboutPod(do):
		return p.content.why.Act(do)
	case do == keymap.Open && p.Selected().Pod == nil:
		return p.Host.OpenPods(p.Selected().Node.Name)
	case p.parts.move(do):
		return p.Holders.follow(p)
	}
	if cmd, done := p.ActList(do); done {
		return tea.Batch(cmd, p.Holders.follow(p))
	}
	return p.Host.ActOn(do, p.Selected())
}

// OnClick selects a row of either part, and opens the one that is selected.
func (p *Page) OnClick(x, y int) tea.Cmd {
	if y < p.Table.Height {
		was := p.Holders.focused
		p.parts.focus(false)
		if was && y > 0 {
			p.Table.Move(min(p.Table.Top+y-1, len(p.Table.Rows)-1) - p.Table.Chosen)
			return nil
		}
		return p.Page.OnClick(x, y)
	}
	t := p.Holders.Table
	row := t.Top + y - p.Table.Height - 1
	if row < t.Top || row >= len(t.Rows) {
		return nil
	}
	if p.Holders.focused && row == t.Chosen {
		return p.Host.Press(keymap.Open, p)
	}
	p.parts.focus(true)
	t.Move(row - t.Chosen)
	return nil
}
