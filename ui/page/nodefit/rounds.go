package nodefit

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// answered are why some kinds do not fit the node.
type answered struct {
	kinds   []*model.EquivalenceClass
	answers []report.NodeAnswer
}

// AtOnce is how many kinds are asked about before the first are shown.
const AtOnce = 16

// rounds ask about all kinds of pending pods, some at a time, whenever the cluster has
// changed.
type rounds struct {
	host    page.Host
	view    page.View // that shows the answers
	node    string
	answers map[string]report.NodeAnswer // by a kind's key
	next    map[string]report.NodeAnswer // of the round that is under way
	todo    []*model.EquivalenceClass    // of that round, not asked about yet
	whole   bool                         // a round is complete
	asks    page.Question[answered]
	asked   int64 // the revision that the last round began with
	spent   time.Duration
	trouble error // of the last question
}

// begin begins a round, unless the answers are of the newest snapshot.
func (r *rounds) begin() tea.Cmd {
	h := r.host
	revision := h.Observed().Snapshot.Revision
	if r.asks.Busy() || r.asks.Resting() || r.asked >= revision && r.asked > 0 || h.Cluster() == nil || h.Observed().IsReading() || !h.Shown(r.view) || r.gone() {
		return nil
	}
	r.asked, r.spent, r.todo, r.next = revision, 0, r.waiting(), map[string]report.NodeAnswer{}
	return r.askNext()
}

// askNext asks about some more kinds of the round.
func (r *rounds) askNext() tea.Cmd {
	kinds := r.todo[:min(len(r.todo), AtOnce)]
	if len(kinds) == 0 {
		r.whole = true
		return nil
	}
	r.todo = r.todo[len(kinds):]
	uids := make([]types.UID, len(kinds))
	for i, kind := range kinds {
		uids[i] = kind.First().Object.UID
	}
	cluster, node := r.host.Cluster(), r.node
	return r.asks.Put(r.host, r.view, func(ctx context.Context) (answered, error) {
		answers, err := cluster.OnNode(ctx, uids, node)
		return answered{kinds, answers}, err
	})
}

// rest waits before the next round, so that rounds take only a share of the time.
func (r *rounds) rest() tea.Cmd { return r.asks.Rest(r.host, r.view, r.spent) }

// keep keeps some answers. The first ones are shown at once.
func (r *rounds) keep(some answered) {
	byUID := make(map[types.UID]report.NodeAnswer, len(some.answers))
	for _, answer := range some.answers {
		byUID[answer.UID] = answer
	}
	for _, kind := range some.kinds {
		if answer, ok := byUID[kind.First().Object.UID]; ok {
			r.next[kind.Key] = answer
		}
	}
	if !r.whole {
		r.answers = r.next
	}
}

// leave cancels what is no longer shown.
func (r *rounds) leave() {
	r.asks.Leave()
	r.asked, r.todo = 0, nil
}

// waiting are the kinds of the namespace whose pods have no node.
func (r *rounds) waiting() []*model.EquivalenceClass {
	namespace := r.host.Namespace()
	var kinds []*model.EquivalenceClass
	for _, kind := range r.host.Observed().Snapshot.Pending {
		if first := kind.First(); first.Exists() && !first.Bound() && (namespace == "" || kind.Namespace() == namespace) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// kinds are the waiting ones in the order of the page: the closest first once all are known,
// until then as in the scheduler's queue.
func (r *rounds) kinds() []query.PendingRow {
	kinds := r.waiting()
	if r.whole {
		slices.SortStableFunc(kinds, func(a, b *model.EquivalenceClass) int {
			x, known := r.answers[a.Key]
			y, too := r.answers[b.Key]
			if !known || !too { // kinds that came since then are last
				return last(known) - last(too)
			}
			return x.Compare(&y)
		})
	}
	rows := make([]query.PendingRow, len(kinds))
	for i, kind := range kinds {
		rows[i] = query.PendingRow{Kind: kind}
		if answer, ok := r.answers[kind.Key]; ok {
			rows[i].Why = wordsOf(&answer).Text
			rows[i].State = "rejected"
			if len(answer.Rejections) == 0 {
				rows[i].State = rows[i].Why
			}
		}
	}
	return rows
}

// last puts kinds without an answer behind the others.
func last(known bool) int {
	if known {
		return 0
	}
	return 1
}

func (r *rounds) rowsOf(kinds []query.PendingRow) []*row {
	rows := make([]*row, len(kinds))
	for i, k := range kinds {
		rows[i] = &row{kind: k.Kind}
		if answer, ok := r.answers[k.Kind.Key]; ok {
			rows[i].answer = &answer
		}
	}
	return rows
}

// gone reports whether the node no longer exists.
func (r *rounds) gone() bool {
	_, ok := r.host.Observed().Snapshot.Node(r.node)
	return !ok && len(r.host.Observed().Snapshot.Status.Reading) == 0 && r.host.Observed().NotRead("nodes") == ""
}

// tally is the answer once all kinds were asked about.
func (r *rounds) tally(name string) (taking, next string) {
	all, taken, open := 0, 0, 0
	closest := ""
	for _, row := range r.kinds() {
		answer, ok := r.answers[row.Kind.Key]
		n := len(row.Kind.Pods)
		all += n
		switch {
		case !ok || answer.Held != "":
		case answer.Fits == nil:
			open += n
		case *answer.Fits:
			taken += n
		case closest == "" && !answer.TooSmall:
			closest = row.Kind.FullName() + " (" + r.host.Observed().Brief(answer.Words()) + ")"
		}
	}
	said := fmt.Sprintf("%s could get %d of %s", name, taken, figures.Count(all, "pending pod", "pending pods"))
	if taken == 0 && open == 0 {
		said = fmt.Sprintf("None of %s could be scheduled on %s", figures.Count(all, "pending pod", "pending pods"), name)
	}
	if taken > 1 {
		said += ", each by itself"
	}
	if open > 0 {
		said += fmt.Sprintf(", %d not evaluated", open)
	}
	if closest == "" {
		return said, ""
	}
	return said, ". Closest: " + model.Clean(closest)
}
