package nodefit

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
)

// answered are why some kinds do not fit the node.
type answered struct {
	kinds   []*model.Kind
	answers []report.NodeAnswer
}

// AtOnce is how many kinds are asked about before the first are shown.
const AtOnce = 16

// Update takes snapshots, answers and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		return tea.Batch(p.Page.Update(msg), p.begin())
	case page.Answer[answered]:
		return p.onAnswers(msg)
	case page.Rested[answered]:
		if p.asks.IsRested(msg) {
			return p.begin()
		}
		return nil
	}
	return p.Page.Update(msg)
}

// begin begins a round, unless the answers are of the newest snapshot.
func (p *Page) begin() tea.Cmd {
	h := p.Host
	revision := h.Observed().Snapshot.Revision
	if p.asks.Busy() || p.asks.Resting() || p.asked >= revision && p.asked > 0 || h.Cluster() == nil || h.Observed().IsReading() || !h.Shown(p) || p.gone() {
		return nil
	}
	p.asked, p.spent, p.todo, p.next = revision, 0, p.waitingKinds(), map[string]report.NodeAnswer{}
	return p.askNext()
}

// askNext asks about some more kinds of the round.
func (p *Page) askNext() tea.Cmd {
	kinds := p.todo[:min(len(p.todo), AtOnce)]
	if len(kinds) == 0 {
		p.whole = true
		return nil
	}
	p.todo = p.todo[len(kinds):]
	uids := make([]types.UID, len(kinds))
	for i, kind := range kinds {
		uids[i] = kind.First().Object.UID
	}
	cluster, node := p.Host.Cluster(), p.node
	return p.asks.Put(p.Host, p, func(ctx context.Context) (answered, error) {
		answers, err := cluster.OnNode(ctx, uids, node)
		return answered{kinds, answers}, err
	})
}

// onAnswers takes some answers and asks for more. A later round is shown when it
// is complete, so that rows move only once.
func (p *Page) onAnswers(msg page.Answer[answered]) tea.Cmd {
	if !p.asks.Takes(msg) {
		return nil
	}
	p.spent += msg.Took
	if p.trouble = msg.Err; msg.Err != nil {
		p.todo = nil
		return p.rest()
	}
	byUID := make(map[types.UID]report.NodeAnswer, len(msg.Value.answers))
	for _, answer := range msg.Value.answers {
		byUID[answer.UID] = answer
	}
	for _, kind := range msg.Value.kinds {
		if answer, ok := byUID[kind.First().Object.UID]; ok {
			p.next[kind.Key] = answer
		}
	}
	if !p.whole {
		p.answers = p.next
	}
	if len(p.todo) > 0 {
		return tea.Batch(p.Arrange(list.Renewed), p.askNext())
	}
	cursor := list.Renewed
	if !p.whole {
		cursor = list.FromTop // the closest row is what the user came for
	}
	p.whole, p.answers = true, p.next
	return tea.Batch(p.Arrange(cursor), p.rest())
}

// rest waits before the next round, so that rounds take only a share of the time.
func (p *Page) rest() tea.Cmd { return p.asks.Rest(p.Host, p, p.spent) }

// Leave cancels what is no longer shown.
func (p *Page) Leave() {
	p.asks.Leave()
	p.asked, p.todo = 0, nil
}
