package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// preemption is the page that says what preemption could do for a pod: on which
// nodes, who would go there, and where to.
type preemption struct {
	page
	pod     *model.Pod     // as it was last seen
	gone    bool           // the pod is no more
	report  *report.Report // the newest, which has the plan
	plan    *report.PreemptionPlan
	trouble error // the last plan failed
	slow    bool  // the next one takes its time

	nodes   *table.Table[*report.PreemptionNode]
	victims *table.Table[*report.PreemptionVictim]
	focused bool   // the cursor is among the victims
	of      string // the node that the victims are of

	asks     asking
	resting  bool   // no newer plan is asked for until preemptAgainMsg
	revision int64  // of the snapshot that was on screen when the newest was asked for
	wanted   string // the node that it was asked for
}

type (
	// preemptMsg brings a plan.
	preemptMsg struct {
		nth    int
		report *report.Report
		err    error
		took   time.Duration
	}
	// preemptSlowMsg says that a plan takes its time.
	preemptSlowMsg struct{ nth int }
	// preemptAgainMsg says that the next plan may be asked for.
	preemptAgainMsg struct{ nth int }
)

// newPreemption opens the page about one pod.
func newPreemption(a *App, pod *model.Pod) *preemption {
	p := &preemption{page: page{app: a}, pod: pod}
	p.nodes = table.New(func(n *report.PreemptionNode) string { return n.Name }, p.nodeColumns()...)
	p.victims = table.New(func(v *report.PreemptionVictim) string { return v.Namespace + "/" + v.Name }, p.victimColumns("")...)
	return p
}

func (p *preemption) uid() types.UID { return p.pod.Object.UID }

// update takes snapshots, plans and the mouse.
func (p *preemption) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return p.onSnapshot(msg.snapshot)
	case preemptMsg:
		return p.onPlanned(msg)
	case preemptSlowMsg:
		p.slow = p.asks.open(msg.nth) && p.plan != nil
	case preemptAgainMsg:
		if msg.nth == p.asks.nth {
			p.resting = false
			return p.ask()
		}
	case tea.MouseMsg:
		return p.onMouse(msg)
	}
	return nil
}

// onSnapshot finds the pod in it and asks again where the answer may be another.
func (p *preemption) onSnapshot(s *model.Snapshot) tea.Cmd {
	if p.pod, p.gone = podIn(s, p.pod); p.gone {
		p.leave()
		return nil
	}
	return p.ask()
}

// ask asks for a plan, off the event loop, unless it is there, on its way, or
// nobody looks. A node whose victims nobody has followed yet is asked for at once.
func (p *preemption) ask() tea.Cmd {
	a := p.app
	revision, node := a.observed.snapshot.Revision, p.unfollowed()
	other := node != "" && node != p.wanted
	known := (p.plan != nil || p.trouble != nil) && p.revision >= revision
	if p.gone || a.history.top() != view(p) || a.observed.isReading() || a.Cluster == nil || (!other && (known || p.asks.busy || p.resting)) {
		return nil
	}
	if node == "" {
		node = p.of
	}
	p.revision, p.wanted = revision, node
	ctx, nth := p.asks.begin(a.ctx)
	cluster, uid, now := a.Cluster, p.uid(), a.Now
	ask := a.ask(p, func(context.Context) tea.Msg {
		start := now()
		r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(uid), Parts: report.PreemptionPart, Node: node})
		return preemptMsg{nth, r, err, now().Sub(start)}
	})
	return tea.Batch(ask, p.later(slowAfter, preemptSlowMsg{nth}))
}

// unfollowed is the selected node, if it is not known where its victims land.
func (p *preemption) unfollowed() string {
	if n, ok := p.nodes.Selected(); ok && p.plan != nil && !n.Landed && len(n.Victims) > 0 {
		return n.Name
	}
	return ""
}

// later brings msg to the page after a while.
func (p *preemption) later(d time.Duration, msg tea.Msg) tea.Cmd {
	opened := p.app.opened
	return p.app.after(d, func(time.Time) tea.Msg { return resultMsg{opened, p, msg} })
}

// onPlanned shows a plan, unless it is stale, and rests before the next.
func (p *preemption) onPlanned(msg preemptMsg) tea.Cmd {
	if !p.asks.open(msg.nth) {
		return nil
	}
	p.asks.busy, p.resting, p.slow = false, true, false
	if p.trouble = msg.err; msg.err == nil {
		p.take(msg.report)
	}
	return tea.Batch(p.ask(), p.later(max(restLeast, restFactor*msg.took), preemptAgainMsg{msg.nth}))
}

// take swaps the plan; what was selected stays so.
func (p *preemption) take(r *report.Report) {
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
func (p *preemption) follow() {
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
		p.victims.Columns = p.victimColumns(n.Resource)
		p.victims.Rows, p.victims.Chosen, p.victims.Top = nil, 0, 0
	}
	p.of = n.Name
	p.victims.Set(rows)
	p.focused = p.focused && len(rows) > 0
	p.lay()
}

// leave cancels what nobody will look at.
func (p *preemption) leave() {
	p.asks.end()
	p.slow, p.resting, p.revision = false, false, 0
}

// settle lets go of rows that are no longer in the plan.
func (p *preemption) settle() {
	p.nodes.Settle()
	p.victims.Settle()
	p.follow()
}
