package ui

import (
	"context"
	"iter"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// restMoved is in place of page.RestLeast while a row in view is outdated.
const restMoved = 10 * time.Millisecond

// verdicts keeps the newest explanation of each pending kind.
type verdicts struct {
	app     *App
	known   map[string]verdict // by a kind's key
	asking  bool               // one is under way
	about   string             // the key of its kind
	stop    context.CancelFunc // ends it
	resting bool               // none is renewed until restedMsg
	outside bool               // the next renewal is of a kind out of view
	hidden  bool               // until a prediction of a lesson is answered
	since   int64              // of a recording: answers of an earlier revision are of another step
	due     bool               // verdicts arrived by which rows are not yet filtered and sorted
	applied time.Time          // when they last were
}

// verdict is one explanation, and the state that it was made for.
type verdict struct {
	report   *report.Report // nil where there was an error
	revision int64
}

// Of is the newest explanation of the kind, nil if there is none yet or it is hidden.
func (v *verdicts) Of(kind *model.Kind) *report.Report {
	if v.hidden {
		return nil
	}
	return v.known[kind.Key].report
}

// outdated reports whether the cluster changed since the kind was explained, so that
// its verdict may be different now.
func (v *verdicts) outdated(kind *model.Kind) bool {
	known := v.known[kind.Key]
	return known.report != nil && max(known.revision, known.report.Revision) < v.app.observed.Snapshot.Moved && !v.app.observed.IsReading()
}

type (
	// explainedMsg is the explanation of a kind.
	explainedMsg struct {
		key     string
		verdict verdict
		took    time.Duration
		stopped bool // nothing waited for it any more
	}
	// restedMsg says that verdicts may be renewed again.
	restedMsg struct{}
)

// explainNext asks for the verdict that is needed most, one at a time: first of
// kinds without any, those in view before the others; then, now and then, of those
// that are older than the snapshot. One that is no longer needed is cancelled.
func (p *pending) explainNext() tea.Cmd {
	a, v := p.app, &p.app.verdicts
	if v.asking && !p.needs(v.about) {
		v.stop()
	}
	if v.asking || v.hidden || a.observed.IsReading() || a.Cluster == nil || a.history.top() != page.View(p) {
		return nil
	}
	kind := p.needed()
	if kind == nil {
		return nil
	}
	cluster, pod, now, revision := a.Cluster, kind.Pods[0].Object.UID, a.Now, a.observed.Snapshot.Revision
	ctx, stop := context.WithCancel(a.ctx)
	v.asking, v.about, v.stop = true, kind.Key, stop
	return a.ask(p, func(context.Context) tea.Msg {
		defer stop()
		from := now()
		report, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(pod)})
		if err != nil {
			report = nil
		}
		return explainedMsg{kind.Key, verdict{report, revision}, now().Sub(from), err != nil && ctx.Err() != nil}
	})
}

// concerned are the kinds whose verdicts are needed: those in view, the other shown
// ones, and those that the filter keeps or leaves out by their verdicts.
func (p *pending) concerned() iter.Seq[*model.Kind] {
	return func(yield func(*model.Kind) bool) {
		for _, rows := range [][]*waiting{p.Table.InView(), p.Table.Rows} {
			for _, w := range rows {
				if !yield(w.kind) {
					return
				}
			}
		}
		if p.Result == nil {
			return
		}
		for _, row := range p.Result.Decided {
			if !yield(row.Kind) {
				return
			}
		}
	}
}

// needs reports whether the verdict of the kind with that key is needed.
func (p *pending) needs(key string) bool {
	for kind := range p.concerned() {
		if kind.Key == key {
			return true
		}
	}
	return false
}

// unexplained is the first kind without a verdict, nil if there is none.
func (p *pending) unexplained() *model.Kind {
	for kind := range p.concerned() {
		if _, ok := p.app.verdicts.known[kind.Key]; !ok {
			return kind
		}
	}
	return nil
}

// needed is the kind to explain next, nil if none is.
func (p *pending) needed() *model.Kind {
	if kind := p.unexplained(); kind != nil {
		return kind
	}
	v := &p.app.verdicts
	if v.resting {
		return nil
	}
	inView, all := p.oldest()
	if v.outside = !v.outside; v.outside && inView != nil {
		return inView
	}
	return all
}

// oldest are the kinds in view and of all whose verdicts are the oldest; nil where
// none is older than the snapshot.
func (p *pending) oldest() (inView, all *model.Kind) {
	known, left := p.app.verdicts.known, len(p.Table.InView())
	least := p.app.observed.Snapshot.Revision
	for kind := range p.concerned() {
		if at := known[kind.Key].revision; at < least {
			least, all = at, kind
		}
		if left--; left == 0 {
			inView = all
		}
	}
	return inView, all
}

// onExplained keeps a verdict and asks for the next one.
func (p *pending) onExplained(msg explainedMsg) tea.Cmd {
	a, v := p.app, &p.app.verdicts
	v.asking = false
	if msg.stopped || msg.verdict.revision < v.since {
		return a.verdicts.explainOnTop()
	}
	before := v.known[msg.key]
	if msg.verdict.report == nil {
		msg.verdict.report = before.report // better an old one than none
	}
	v.known[msg.key] = msg.verdict
	v.due = v.due || !sameCells(before.report, msg.verdict.report)
	p.Table.Grow()
	var rest tea.Cmd
	if !v.resting {
		v.resting = true
		opened, least := a.opened, page.RestLeast
		if slices.ContainsFunc(p.Table.InView(), func(w *waiting) bool { return a.verdicts.outdated(w.kind) }) {
			least = restMoved
		}
		rest = a.after(max(page.RestFactor*msg.took, least), func(time.Time) tea.Msg {
			return resultMsg{opened, p, restedMsg{}}
		})
	}
	return tea.Batch(rest, p.applied(), a.verdicts.explainOnTop())
}

// applied filters and sorts again by new verdicts, if that may change the rows. While
// many arrive it does so now and then; the last one is always applied.
func (p *pending) applied() tea.Cmd {
	v, at := &p.app.verdicts, p.app.observed.At
	if !v.due || !p.Query().IsLate() || p.unexplained() != nil && at.Sub(v.applied) < page.RestLeast {
		return nil
	}
	v.due, v.applied = false, at
	return p.Query().Rearrange()
}

// sameCells reports whether two verdicts are filtered and sorted the same; nil is none.
func sameCells(a, b *report.Report) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.State == b.State && a.BlockedBy == b.BlockedBy && a.Why == b.Why && a.Observed.AttemptSeen.Equal(b.Observed.AttemptSeen)
}

// explainOnTop goes on explaining, if Pending is what is shown.
func (v *verdicts) explainOnTop() tea.Cmd {
	if p, ok := v.app.history.top().(*pending); ok {
		return p.explainNext()
	}
	return nil
}
