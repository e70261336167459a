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
	page.Base
	pod    *model.Pod     // as it was last seen
	gone   bool           // the pod is no more
	report *report.Report // the newest, which has the plan
	plan   *report.PreemptionPlan

	nodes   *table.Table[*report.PreemptionNode]
	victims *table.Table[*report.PreemptionVictim]
	focused bool   // the cursor is among the victims
	of      string // the node that the victims are of

	poll   page.Poll[*report.Report]
	wanted string // the node that the newest plan was asked for
}

// New makes the page about one pod.
func New(h page.Host, pod *model.Pod) *Page {
	p := &Page{Base: page.Base{Host: h}, pod: pod}
	p.nodes = table.New(func(n *report.PreemptionNode) string { return n.Name }, nodeColumns(h)...)
	p.victims = table.New(func(v *report.PreemptionVictim) string { return v.Namespace + "/" + v.Name }, victimColumns(h, "")...)
	return p
}

// Update takes snapshots, plans and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		return p.onSnapshot(msg.Snapshot)
	case tea.MouseMsg:
		return p.onMouse(msg)
	}
	news, rest := p.poll.Update(p.Host, p, msg)
	switch news {
	case page.Answered:
		if p.poll.Trouble == nil {
			p.take(p.poll.Value)
		}
		return tea.Batch(p.ask(), rest)
	case page.Renew:
		return p.ask()
	}
	return nil
}

// onSnapshot finds the pod in it and asks again where the answer may be another.
func (p *Page) onSnapshot(s *model.Snapshot) tea.Cmd {
	if p.pod, p.gone = page.PodIn(s, p.pod); p.gone {
		p.Leave()
		return nil
	}
	return p.ask()
}

// ask asks for a plan, off the event loop, unless it is there, on its way, or
// nobody looks. A node whose victims nobody has followed yet is asked for at once.
func (p *Page) ask() tea.Cmd {
	if p.gone || !p.Host.Shown(p) {
		return nil
	}
	node := p.unfollowed()
	put := p.poll.Ask
	if node != "" && node != p.wanted {
		put = p.poll.AskNow
	}
	if node == "" {
		node = p.of
	}
	uid := p.pod.Object.UID
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
func (p *Page) take(r *report.Report) {
	plan := r.Plan
	p.report, p.plan = r, plan
	rows := make([]*report.PreemptionNode, len(plan.Nodes))
	for i := range plan.Nodes {
		rows[i] = &plan.Nodes[i]
	}
	p.nodes.Set(rows)
	p.follow()
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

// Leave cancels what nobody will look at.
func (p *Page) Leave() {
	p.poll.Leave()
}

// Settle lets go of rows that are no longer in the plan.
func (p *Page) Settle() {
	p.nodes.Settle()
	p.victims.Settle()
	p.follow()
}
