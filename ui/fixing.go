package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// fixing is the question which fixes work for a pod, as a page puts it again and
// again while the cluster moves.
type fixing struct {
	fixes    *report.Fixes // the newest answer, nil before the first
	trouble  error         // the last one failed
	slow     bool          // the next one takes its time
	asks     asking
	resting  bool  // none is asked for until fixAgainMsg
	revision int64 // of the snapshot that was on screen when the newest was asked for
}

type (
	// fixedMsg brings the fixes that were tried.
	fixedMsg struct {
		nth   int
		fixes *report.Fixes
		err   error
		took  time.Duration
	}
	// fixSlowMsg says that trying them takes its time.
	fixSlowMsg struct{ nth int }
	// fixAgainMsg says that they may be tried again.
	fixAgainMsg struct{ nth int }
)

// ask has fixes tried for v's pod, off the event loop, unless the answer is
// there, on its way, or nobody looks.
func (f *fixing) ask(a *App, v view, pod types.UID) tea.Cmd {
	revision := a.observed.snapshot.Revision
	known := (f.fixes != nil || f.trouble != nil) && f.revision >= revision
	if known || f.asks.busy || f.resting || a.history.top() != v || a.observed.isReading() || a.Cluster == nil {
		return nil
	}
	f.revision = revision
	ctx, nth := f.asks.begin(a.ctx)
	cluster, now := a.Cluster, a.Now
	ask := a.ask(v, func(context.Context) tea.Msg {
		start := now()
		r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(pod), Parts: report.FixesPart})
		if err != nil {
			return fixedMsg{nth: nth, err: err, took: now().Sub(start)}
		}
		return fixedMsg{nth, r.Tried, nil, now().Sub(start)}
	})
	return tea.Batch(ask, a.later(v, slowAfter, fixSlowMsg{nth}))
}

// take keeps an answer, unless it is stale, and rests before the next.
func (f *fixing) take(a *App, v view, msg fixedMsg) (rest tea.Cmd, fresh bool) {
	if !f.asks.open(msg.nth) {
		return nil, false
	}
	f.asks.busy, f.resting, f.slow = false, true, false
	if f.trouble = msg.err; msg.err == nil {
		f.fixes = msg.fixes
	}
	return a.later(v, max(restLeast, restFactor*msg.took), fixAgainMsg{msg.nth}), true
}

// rested says whether the rest that msg ends is the present one.
func (f *fixing) rested(msg fixAgainMsg) bool {
	if msg.nth != f.asks.nth {
		return false
	}
	f.resting = false
	return true
}

// slows notes that an answer takes its time.
func (f *fixing) slows(msg fixSlowMsg) { f.slow = f.asks.open(msg.nth) }

// leave cancels what nobody will look at; shown again, the page asks again.
func (f *fixing) leave() {
	f.asks.end()
	f.slow, f.resting, f.revision = false, false, 0
}

// tried are the fixes of the newest answer.
func (f *fixing) tried() []report.Fix {
	if f.fixes == nil {
		return nil
	}
	return f.fixes.Tried
}

// indexOf finds a fix of the newest answer by its title; where it is no longer
// there, the one that stands in its place.
func (f *fixing) indexOf(title string, was int) int {
	tried := f.tried()
	for i := range tried {
		if tried[i].Title == title {
			return i
		}
	}
	return max(0, min(was, len(tried)-1))
}
