package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// share of the time that verdicts which are there already are renewed in: after
// one that took a millisecond nothing is asked for restFactor of them.
const (
	restFactor = 19
	restLeast  = 200 * time.Millisecond
)

// verdicts keeps the newest explanation of each kind that waits.
type verdicts struct {
	known   map[string]verdict // by a kind's key
	asking  bool               // one is on its way
	resting bool               // none is renewed until restedMsg
	since   int64              // of a recording: answers for what was before are of another step
}

// verdict is one explanation, and the state that it was made for.
type verdict struct {
	report   *explain.Report // nil where there is none for an error
	revision int64
}

// of is the newest explanation of the kind, nil if there is none yet.
func (v *verdicts) of(kind *model.Kind) *explain.Report { return v.known[kind.Key].report }

type (
	// explainedMsg is the explanation of a kind.
	explainedMsg struct {
		key     string
		verdict verdict
		took    time.Duration
	}
	// restedMsg says that verdicts may be renewed again.
	restedMsg struct{}
)

// explainNext asks for the verdict that is needed most, one at a time: first of
// kinds without any, those in view before the others; then, now and then, of
// those that are older than the snapshot.
func (p *pending) explainNext() tea.Cmd {
	a, v := p.app, &p.app.verdicts
	if v.asking || a.isReading() || a.Cluster == nil || a.top() != view(p) {
		return nil
	}
	kind := p.needed()
	if kind == nil {
		return nil
	}
	v.asking = true
	cluster, pod, now, revision := a.Cluster, kind.Pods[0].Object.UID, a.Now, a.snapshot.Revision
	return a.ask(p, func(ctx context.Context) tea.Msg {
		from := now()
		report, err := cluster.Outline(ctx, pod)
		if err != nil {
			report = nil
		}
		return explainedMsg{kind.Key, verdict{report, revision}, now().Sub(from)}
	})
}

// needed is the kind to explain next, nil if none is.
func (p *pending) needed() *model.Kind {
	v, revision := &p.app.verdicts, p.app.snapshot.Revision
	var old *model.Kind
	for _, rows := range [][]*waiting{p.table.inView(), p.table.rows} {
		for _, w := range rows {
			known, ok := v.known[w.kind.Key]
			if !ok {
				return w.kind
			}
			if old == nil && known.revision < revision {
				old = w.kind
			}
		}
	}
	if v.resting {
		return nil
	}
	return old
}

// onExplained keeps a verdict and asks for the next one.
func (p *pending) onExplained(msg explainedMsg) tea.Cmd {
	a, v := p.app, &p.app.verdicts
	v.asking = false
	if msg.verdict.revision < v.since {
		return a.explainOnTop()
	}
	if before := v.known[msg.key]; msg.verdict.report == nil {
		msg.verdict.report = before.report // better an old one than none
	}
	v.known[msg.key] = msg.verdict
	p.table.grow()
	var rest tea.Cmd
	if !v.resting {
		v.resting = true
		opened := a.opened
		rest = a.after(max(restFactor*msg.took, restLeast), func(time.Time) tea.Msg {
			return resultMsg{opened, p, restedMsg{}}
		})
	}
	return tea.Batch(rest, a.explainOnTop())
}

// explainOnTop goes on explaining, if Pending is what is shown.
func (a *App) explainOnTop() tea.Cmd {
	if p, ok := a.top().(*pending); ok {
		return p.explainNext()
	}
	return nil
}
