// Package trace is the page of the scheduling cycle of a pod.
package trace

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Page is the page. It shows one stage at a time.
type Page struct {
	page.PodPoll[*report.Report]
	Table  *table.Table[traceRow] // the rows of the stage
	report *report.Report         // with a scheduling cycle; nil until there is one
	stage  string                 // the one that is shown
}

// New makes the page about one pod.
func New(h page.Host, pod *model.Pod) *Page {
	p := &Page{Table: table.New(traceID)}
	p.Host, p.Pod = h, pod
	return p
}

// Update takes snapshots, answers and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		p.Table.Scroll(keymap.Wheel(msg))
		return nil
	case tea.MouseClickMsg:
		return p.onClick(msg.Y)
	case page.TickMsg:
		p.Poll.Age(p.Host.Observed())
		return p.ask()
	}
	return p.Follow(p, msg, p.take, p.ask)
}

// ask asks for the scheduling cycle, off the event loop, unless it is there, on its
// way, or nobody looks.
func (p *Page) ask() tea.Cmd {
	if p.Gone || !p.Host.Shown(p) {
		return nil
	}
	uid := p.Pod.Object.UID
	return p.Poll.Ask(p.Host, p, func(ctx context.Context, cluster page.Cluster) (*report.Report, error) {
		return cluster.Ask(ctx, report.Query{Target: report.PodOf(uid), Parts: report.Nodes | report.TracePart})
	})
}

// take shows a scheduling cycle.
func (p *Page) take() tea.Cmd {
	if p.Poll.Trouble != nil {
		return nil
	}
	p.report = p.Poll.Value
	if p.stage == "" {
		p.stage = decisive(p.report.Cycle)
	}
	p.fill()
	return nil
}

// decisive is the stage where the cycle ends; where it does not, that which ranks.
func decisive(w *report.SchedulingCycle) string {
	for _, stage := range w.Stages {
		if stage.Outcome == report.Rejected || stage.Outcome == report.Open {
			return stage.Name
		}
	}
	return report.StageScore
}

// shown is the stage that is shown.
func (p *Page) shown() (*report.Stage, bool) {
	if p.report == nil {
		return nil, false
	}
	return p.report.Cycle.Stage(p.stage), true
}

// turn shows the stage after or before this one.
func (p *Page) turn(by int) {
	if p.report == nil {
		return
	}
	stages := p.report.Cycle.Stages
	at := slices.IndexFunc(stages, func(s report.Stage) bool { return s.Name == p.stage })
	p.stage = stages[(at+by+len(stages))%len(stages)].Name
	p.Table = table.New(traceID)
	p.fill()
}
