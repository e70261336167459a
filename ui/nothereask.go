package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

type (
	// hereMsg brings what the node has against some kinds.
	hereMsg struct {
		nth     int
		kinds   []*model.Kind
		answers []report.NodeAnswer
		err     error
		took    time.Duration
	}
	// hereAgainMsg says that the next round may begin.
	hereAgainMsg struct{ nth int }
)

// hereAtOnce is how many kinds are asked about before the first are shown.
const hereAtOnce = 16

// update takes snapshots, answers and the mouse.
func (p *notHere) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return tea.Batch(p.list.update(msg), p.begin())
	case hereMsg:
		return p.onAnswers(msg)
	case hereAgainMsg:
		if msg.nth == p.asks.nth {
			p.resting = false
			return p.begin()
		}
		return nil
	}
	return p.list.update(msg)
}

// begin begins a round, unless what is known is of the newest state.
func (p *notHere) begin() tea.Cmd {
	a := p.app
	revision := a.observed.snapshot.Revision
	if p.asks.busy || p.resting || p.asked >= revision && p.asked > 0 || a.Cluster == nil || a.observed.isReading() || a.history.top() != view(p) || p.gone() {
		return nil
	}
	p.asked, p.spent, p.todo, p.coming = revision, 0, p.waitingKinds(), map[string]report.NodeAnswer{}
	return p.askNext()
}

// askNext asks about some more kinds of the round.
func (p *notHere) askNext() tea.Cmd {
	kinds := p.todo[:min(len(p.todo), hereAtOnce)]
	if len(kinds) == 0 {
		p.whole = true
		return nil
	}
	p.todo = p.todo[len(kinds):]
	uids := make([]types.UID, len(kinds))
	for i, kind := range kinds {
		uids[i] = kind.First().Object.UID
	}
	ctx, nth := p.asks.begin(p.app.ctx)
	cluster, node, now := p.app.Cluster, p.node, p.app.Now
	return p.app.ask(p, func(context.Context) tea.Msg {
		start := now()
		answers, err := cluster.OnNode(ctx, uids, node)
		return hereMsg{nth, kinds, answers, err, now().Sub(start)}
	})
}

// onAnswers takes some answers and asks for more. A later round is shown when it
// is whole: rows change their places once.
func (p *notHere) onAnswers(msg hereMsg) tea.Cmd {
	if !p.asks.open(msg.nth) {
		return nil
	}
	p.asks.busy, p.spent = false, p.spent+msg.took
	if p.trouble = msg.err; msg.err != nil {
		p.todo = nil
		return p.rest()
	}
	byUID := make(map[types.UID]report.NodeAnswer, len(msg.answers))
	for _, answer := range msg.answers {
		byUID[answer.UID] = answer
	}
	for _, kind := range msg.kinds {
		if answer, ok := byUID[kind.First().Object.UID]; ok {
			p.coming[kind.Key] = answer
		}
	}
	if !p.whole {
		p.answers = p.coming
	}
	if len(p.todo) > 0 {
		return tea.Batch(p.arrange(renewed), p.askNext())
	}
	cursor := renewed
	if !p.whole {
		cursor = anew // the nearest is what one came for
	}
	p.whole, p.answers = true, p.coming
	return tea.Batch(p.arrange(cursor), p.rest())
}

// rest waits before the next round, so that rounds take a share of the time only.
func (p *notHere) rest() tea.Cmd {
	p.resting = true
	opened, nth := p.app.opened, p.asks.nth
	return p.app.after(max(restLeast, restFactor*p.spent), func(time.Time) tea.Msg {
		return resultMsg{opened, p, hereAgainMsg{nth}}
	})
}

// leave cancels what nobody will look at.
func (p *notHere) leave() {
	p.asks.end()
	p.asked, p.resting, p.todo = 0, false, nil
}
