package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// trace is the page of the scheduler's way for a pod, one stage at a time.
type trace struct {
	page
	pod        *model.Pod     // as it was last seen
	report     *report.Report // with a way; nil until there is one
	stage      string         // the one that is shown
	table      *table.Table[traceRow]
	trouble    error // the last question failed
	gone       bool
	explaining bool // a newer way is slow to come
	asks       asking
	resting    bool  // none is asked for until wayAgainMsg
	revision   int64 // of the snapshot that was on screen when the newest was asked for
}

type (
	// wayMsg brings a way.
	wayMsg struct {
		nth    int
		report *report.Report
		err    error
		took   time.Duration
	}
	// waySlowMsg says that a way takes its time.
	waySlowMsg struct{ nth int }
	// wayAgainMsg says that the next way may be asked for.
	wayAgainMsg struct{ nth int }
)

// newTrace opens the page about one pod.
func newTrace(a *App, pod *model.Pod) *trace {
	return &trace{page: page{app: a}, pod: pod, table: table.New(traceID)}
}

// update takes snapshots, ways and the mouse.
func (p *trace) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return p.onSnapshot(msg.snapshot)
	case wayMsg:
		return p.onWay(msg)
	case waySlowMsg:
		p.explaining = p.asks.open(msg.nth) && p.report != nil
	case wayAgainMsg:
		if msg.nth == p.asks.nth {
			p.resting = false
			return p.ask()
		}
	case tea.MouseWheelMsg:
		p.table.Scroll(keymap.Wheel(msg))
	case tea.MouseClickMsg:
		return p.onClick(msg.Y)
	}
	return nil
}

// onSnapshot finds the pod in it and asks again where the way may be another.
func (p *trace) onSnapshot(s *model.Snapshot) tea.Cmd {
	if p.pod, p.gone = podIn(s, p.pod); p.gone {
		p.leave()
		return nil
	}
	return p.ask()
}

// ask asks for the way, off the event loop, unless it is there, on its way, or
// nobody looks.
func (p *trace) ask() tea.Cmd {
	a, revision := p.app, p.app.observed.snapshot.Revision
	known := (p.report != nil || p.trouble != nil) && p.revision >= revision
	if known || p.asks.busy || p.resting || p.gone || a.history.top() != view(p) || a.observed.isReading() || a.Cluster == nil {
		return nil
	}
	p.revision = revision
	ctx, nth := p.asks.begin(a.ctx)
	cluster, uid, now := a.Cluster, p.pod.Object.UID, a.Now
	ask := a.ask(p, func(context.Context) tea.Msg {
		start := now()
		r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(uid), Parts: report.Nodes | report.TracePart})
		return wayMsg{nth, r, err, now().Sub(start)}
	})
	return tea.Batch(ask, p.later(slowAfter, waySlowMsg{nth}))
}

// later brings msg to the page after a while.
func (p *trace) later(d time.Duration, msg tea.Msg) tea.Cmd {
	opened := p.app.opened
	return p.app.after(d, func(time.Time) tea.Msg { return resultMsg{opened, p, msg} })
}

// onWay shows a way, unless it is stale, and rests before the next.
func (p *trace) onWay(msg wayMsg) tea.Cmd {
	if !p.asks.open(msg.nth) {
		return nil
	}
	p.asks.busy, p.resting, p.explaining = false, true, false
	if p.trouble = msg.err; msg.err == nil {
		p.report = msg.report
		if p.stage == "" {
			p.stage = decisive(msg.report.Cycle)
		}
		p.fill()
	}
	return p.later(max(restLeast, restFactor*msg.took), wayAgainMsg{msg.nth})
}

// decisive is the stage where the way ends; where it does not, that which ranks.
func decisive(w *report.SchedulingCycle) string {
	for _, stage := range w.Stages {
		if stage.Outcome == report.Refused || stage.Outcome == report.Open {
			return stage.Name
		}
	}
	return report.StageScore
}

// shown is the stage that is shown.
func (p *trace) shown() (*report.Stage, bool) {
	if p.report == nil {
		return nil, false
	}
	return p.report.Cycle.Stage(p.stage), true
}

// turn shows the stage after or before this one.
func (p *trace) turn(by int) {
	if p.report == nil {
		return
	}
	stages := p.report.Cycle.Stages
	at := slices.IndexFunc(stages, func(s report.Stage) bool { return s.Name == p.stage })
	p.stage = stages[(at+by+len(stages))%len(stages)].Name
	p.table = table.New(traceID)
	p.fill()
}

// leave cancels what nobody will look at.
func (p *trace) leave() {
	p.asks.end()
	p.explaining, p.resting, p.revision = false, false, 0
}
