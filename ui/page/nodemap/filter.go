package nodemap

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// keeps is the filter of a map, and what it keeps.
type keeps struct {
	text     string // "" is none
	last     *query.Filtered[*model.Node]
	question page.Question[*query.Filtered[*model.Node]]
	stale    bool // a newer snapshot came meanwhile
}

// soon is how many nodes are filtered at once; more take a Cmd.
const soon = 1000

// ask filters nodes: at once where they are few, else off the event loop.
func (k *keeps) ask(p *Page, nodes []*model.Node) (done bool, cmd tea.Cmd) {
	if k.question.Busy() {
		k.stale = true
		return false, nil
	}
	k.stale = false
	observed, last, text := p.Host.Observed(), k.last, k.text
	fields := query.NodeFields(observed.AsOf(), observed.Snapshot.Usage)
	work := func(ctx context.Context) (*query.Filtered[*model.Node], error) {
		if last != nil {
			return last.Filter().With(fields).Apply(ctx, nodes, nil)
		}
		filter, err := query.Compile(fields, text)
		if err != nil {
			return nil, err
		}
		return filter.Apply(ctx, nodes, nil)
	}
	if len(nodes) > soon || query.HasExpression(text) {
		return false, k.question.Put(p.Host, p, work)
	}
	kept, err := work(context.Background())
	if err != nil {
		return false, p.Host.SayError(err)
	}
	k.last = kept
	return true, nil
}
