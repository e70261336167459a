// Package preemption is the page of what preemption could do for a pod.
package preemption

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Page is the page. It says what preemption could do for a pod: on which
// nodes, who would go there, and where to.
type Page struct {
	page.PodPoll[*report.Report]
	report *report.Report // the newest, which has the plan
	plan   *report.PreemptionPlan

	nodes   *table.Table[*report.PreemptionNode]
	victims *table.Table[*report.PreemptionVictim]
	focused bool   // the cursor is among the victims
	of      string // the node that the victims are of

	wanted string // the node that the newest plan was asked for
}

// New makes the page about one pod.
func New(h page.Host, pod *model.Pod) *Page {
	p := &Page{}
	p.Host, p.Pod = h, pod
	p.nodes = table.New(func(n *report.PreemptionNode) string { return n.Name }, nodeColumns(h)...)
	p.victims = table.New(func(v *report.PreemptionVictim) string { return v.Namespace + "/" + v.Name }, victimColumns(h, "")...)
	return p
}

// Update takes snapshots, plans and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(tea.MouseMsg); ok {
		return p.onMouse(msg)
	}
	return p.Follow(p, msg, p.take, p.ask)
}

// ask asks for a plan, off the event loop, unless it is there, on its way, or
// nobody looks. A node whose victims nobody has followed yet is asked for at once.
func (p *Page) ask() tea.Cmd {
	if p.Gone || !p.Host.Shown(p) {
		return nil
	}
	node := p.unfollowed()
	put := p.Poll.Ask
	if node != "" && node != p.wanted {
		put = p.Poll.AskNow
	}
	if node == "" {
		node = p.of
	}
	uid := p.Pod.Object.UID
	cmd := put(p.Host, p, func(ctx context.Context, cluster page.Cluster) (*report.Report, error) {
		return cluster.Ask(ctx, report.Query{Target: report.PodOf(uid), Parts: report.PreemptionPart, Node: node})
	})
	if cmd != nil {
		p.wanted = node
	}
	return cmd
}

// unfollowed is the selected node, if it is not known where its victims land.
func (p *Page) unfollowed() string {
	if n, ok := p.nodes.Selected(); ok && p.plan != nil && !n.Landed && len(n.Victims) > 0 {
		return n.Name
	}
	return ""
}

// take swaps the plan; what was selected stays so.
func (p *Page) take() tea.Cmd {
	if p.Poll.Trouble != nil {
		return p.ask()
	}
	plan := p.Poll.Value.Plan
	p.report, p.plan = p.Poll.Value, plan
	rows := make([]*report.PreemptionNode, len(plan.Nodes))
	for i := range plan.Nodes {
		rows[i] = &plan.Nodes[i]
	}
	p.nodes.Set(rows)
	p.follow()
	return p.ask()
}

// follow shows the victims of the selected node.
func (p *Page) follow() {
	n, ok := p.nodes.Selected()
	if !ok {
		p.of, p.focused, p.victims.Rows = "", false, nil
		p.lay()
		return
	}
	rows := make([]*report.PreemptionVictim, len(n.Victims))
	for i := range n.Victims {
		rows[i] = &n.Victims[i]
	}
	if n.Name != p.of {
		p.victims.Columns = victimColumns(p.Host, n.Resource)
		p.victims.Rows, p.victims.Chosen, p.victims.Top = nil, 0, 0
	}
	p.of = n.Name
	p.victims.Set(rows)
	p.focused = p.focused && len(rows) > 0
	p.lay()
}

// Settle lets go of rows that are no longer in the plan.
func (p *Page) Settle() {
	p.nodes.Settle()
	p.victims.Settle()
	p.follow()
}
