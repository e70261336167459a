package pending

import (
	"context"
	"iter"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
)

// explainer asks for the verdicts of the rows of Pending.
type explainer struct {
	list     *list.Page[query.PendingRow, *Row]
	verdicts *Verdicts
}

// explainNext asks for the verdict that is needed most, one at a time: first of
// kinds without any, those in view before the others; then, now and then, of those
// that are older than the snapshot. One that is no longer needed is cancelled.
func (e *explainer) explainNext() tea.Cmd {
	h, v := e.list.Host, e.verdicts
	if v.Asking && !e.needs(v.about) {
		v.Stop()
	}
	if v.Asking || v.Hidden || h.Observed().IsReading() || h.Cluster() == nil || !h.Shown(e.list.Self) {
		return nil
	}
	kind := e.needed()
	if kind == nil {
		return nil
	}
	cluster, pod, now, revision := h.Cluster(), kind.Pods[0].Object.UID, h.Now, h.Observed().Snapshot.Revision
	v.Asking, v.about = true, kind.Key
	var stop context.CancelFunc
	cmd, stop := h.Ask(e.list.Self, func(ctx context.Context) tea.Msg {
		defer stop()
		from := now()
		report, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(pod)})
		if err != nil {
			report = nil
		}
		return ExplainedMsg{kind.Key, Verdict{report, revision, kind, from}, now().Sub(from), err != nil && ctx.Err() != nil}
	})
	v.Stop = stop
	return cmd
}

// concerned are the kinds whose verdicts are needed: those in view, the other shown
// ones, and those that the filter keeps or leaves out by their verdicts.
func (e *explainer) concerned() iter.Seq[*model.EquivalenceClass] {
	return func(yield func(*model.EquivalenceClass) bool) {
		for _, rows := range [][]*Row{e.list.Table.InView(), e.list.Table.Rows} {
			for _, w := range rows {
				if !yield(w.Kind) {
					return
				}
			}
		}
		if e.list.Result == nil {
			return
		}
		for _, row := range e.list.Result.Decided {
			if !yield(row.Kind) {
				return
			}
		}
	}
}

// needs reports whether the verdict of the kind with that key is needed.
func (e *explainer) needs(key string) bool {
	for kind := range e.concerned() {
		if kind.Key == key {
			return true
		}
	}
	return false
}

// unexplained is the first kind without a verdict, nil if there is none.
func (e *explainer) unexplained() *model.EquivalenceClass {
	for kind := range e.concerned() {
		if _, ok := e.verdicts.Known[kind.Key]; !ok {
			return kind
		}
	}
	return nil
}

// needed is the kind to explain next, nil if none is.
func (e *explainer) needed() *model.EquivalenceClass {
	if kind := e.unexplained(); kind != nil {
		return kind
	}
	v := e.verdicts
	if v.resting {
		return nil
	}
	inView, all := e.oldest()
	if v.outside = !v.outside; v.outside && inView != nil {
		return inView
	}
	return all
}

// oldest are the kinds in view and of all whose verdicts are the oldest; nil where
// none is to be renewed.
func (e *explainer) oldest() (inView, all *model.EquivalenceClass) {
	known, left, late := e.verdicts.Known, len(e.list.Table.InView()), e.list.Query().IsLate()
	least := e.list.Host.Observed().Snapshot.Revision
	for kind := range e.concerned() {
		if at := known[kind.Key].Revision; at < least && e.verdicts.isDue(kind, left > 0 || late) {
			least, all = at, kind
		}
		if left--; left == 0 {
			inView = all
		}
	}
	return inView, all
}

// onExplained keeps a verdict and asks for the next one.
func (e *explainer) onExplained(msg ExplainedMsg) tea.Cmd {
	h, v := e.list.Host, e.verdicts
	v.Asking = false
	if msg.Stopped || msg.Verdict.Revision < v.since {
		return e.explainOnTop()
	}
	before := v.Known[msg.Key]
	if msg.Verdict.Report == nil {
		msg.Verdict.Report = before.Report // better an old one than none
	}
	v.Known[msg.Key] = msg.Verdict
	v.due = v.due || !sameCells(before.Report, msg.Verdict.Report)
	e.list.Table.Grow()
	var rest tea.Cmd
	if !v.resting {
		v.resting = true
		least := page.RestLeast
		if slices.ContainsFunc(e.list.Table.InView(), func(w *Row) bool { return v.outdated(w.Kind) }) {
			least = restMoved
		}
		rest = h.Later(e.list.Self, max(page.RestFactor*msg.Took, least), RestedMsg{})
	}
	return tea.Batch(rest, e.applied(), e.explainOnTop())
}

// applied filters and sorts again by new verdicts, if that may change the rows. While
// many arrive it does so now and then; the last one is always applied.
func (e *explainer) applied() tea.Cmd {
	v, at := e.verdicts, e.list.Host.Observed().At
	if !v.due || !e.list.Query().IsLate() || e.unexplained() != nil && at.Sub(v.applied) < page.RestLeast {
		return nil
	}
	v.due, v.applied = false, at
	return e.list.Query().Rearrange()
}

// sameCells reports whether two verdicts are filtered and sorted the same; nil is none.
func sameCells(a, b *report.Report) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.State == b.State && a.BlockedBy == b.BlockedBy && a.Why == b.Why && a.Observed.AttemptSeen.Equal(b.Observed.AttemptSeen)
}

// explainOnTop goes on explaining, if Pending is what is shown.
func (e *explainer) explainOnTop() tea.Cmd {
	if e.list.Host.Shown(e.list.Self) {
		return e.explainNext()
	}
	return nil
}
