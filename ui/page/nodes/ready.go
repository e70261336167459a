package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// unready is what the preview asks about a node that is not Ready, once the cursor has
// rested on its row: when its Lease was renewed, and which pending pods would fit if it
// were Ready.
type unready struct {
	page   *Page
	of     string // the selected node that is not Ready; "" is none
	nth    int    // of the rows that the cursor has been on
	rested bool   // it has rested on this one
	asked  time.Time
	asks   page.Poll[unreadyFacts]
}

// unreadyFacts are the answers about a node.
type unreadyFacts struct {
	known   bool      // something was answered
	renewed time.Time // its Lease; zero where there is none
	unread  error     // why the Lease is not known
	asked   int       // kinds of pending pods that were asked about
	left    int       // kinds that were not
	open    int       // kinds of which it is not known
	fit     []*model.EquivalenceClass
	failed  error // why that is not known of any
}

const (
	// RestAfter is how long the cursor stays on a row before anything is asked about its
	// node.
	RestAfter = 300 * time.Millisecond
	// renewAfter is how old answers get at least before the same is asked again.
	renewAfter = 10 * time.Second
	// mostKinds is about how many kinds of pending pods is asked.
	mostKinds = 32
)

// cursorRestedMsg says that the cursor has been on the nth row for a while.
type cursorRestedMsg struct{ nth int }

// node is the selected one, if it is not Ready and its preview is shown.
func (u *unready) node() (*model.Node, bool) {
	node, ok := u.page.Table.Selected()
	ok = ok && u.page.Around.HasBelow() && !u.page.Table.SelectedGone() && node.IsFailed()
	return node, ok
}

// follow keeps up with the cursor.
func (u *unready) follow() tea.Cmd {
	node, ok := u.node()
	of := ""
	if ok {
		of = ID(node)
	}
	if of == u.of {
		return u.ask()
	}
	u.asks.Leave()
	u.nth++
	u.of, u.asks, u.rested = of, page.Poll[unreadyFacts]{}, false
	if of == "" {
		return nil
	}
	return u.page.Host.Later(u.page.Self, RestAfter, cursorRestedMsg{u.nth})
}

// ask asks about the node that the cursor has rested on; again where something has changed
// that bears on which pods fit, but not too soon.
func (u *unready) ask() tea.Cmd {
	node, ok := u.node()
	h := u.page.Host
	o := h.Observed()
	if !ok || !u.rested || o.IsReading() || h.Hides() || !h.Shown(u.page.Self) {
		return nil
	}
	has := u.asks.Revision() > 0
	if has && (o.Snapshot.Revision <= u.asks.Revision() || o.At.Sub(u.asked) < renewAfter) {
		return nil
	}
	name, namespace := node.Name, h.Namespace()
	cmd := u.asks.Ask(h, u.page.Self, func(ctx context.Context, cluster page.Cluster) (unreadyFacts, error) {
		return factsOf(ctx, cluster, name, pendingKinds(o.Snapshot, namespace))
	})
	if cmd != nil {
		u.asked = o.At
	}
	return cmd
}

// pendingKinds are those whose pods look for a node.
func pendingKinds(s *model.Snapshot, namespace string) []*model.EquivalenceClass {
	return slices.DeleteFunc(slices.Clone(s.Pending), func(kind *model.EquivalenceClass) bool {
		first := kind.First()
		return !first.Exists() || first.Bound() || namespace != "" && kind.Namespace() != namespace
	})
}

// factsOf asks the cluster.
func factsOf(ctx context.Context, cluster page.Cluster, node string, kinds []*model.EquivalenceClass) (facts unreadyFacts, err error) {
	facts.renewed, facts.unread = cluster.NodeLease(ctx, node)
	facts.asked = min(len(kinds), mostKinds)
	facts.left = len(kinds) - facts.asked
	kinds = kinds[:facts.asked]
	uids := make([]types.UID, len(kinds))
	for i, kind := range kinds {
		uids[i] = kind.First().Object.UID
	}
	answers, err := cluster.OnNode(ctx, uids, node)
	facts.known, facts.failed = true, err
	for _, answer := range answers {
		switch {
		case answer.Held != "":
		case answer.Fits == nil:
			facts.open++
		case *answer.Fits || answer.OnlyNotReady(): // one that tolerates its taints fits already
			facts.fit = append(facts.fit, kinds[slices.Index(uids, answer.UID)])
		}
	}
	return facts, ctx.Err()
}

// update takes the messages about the selected node.
func (u *unready) update(msg tea.Msg) tea.Cmd {
	if rested, ok := msg.(cursorRestedMsg); ok && rested.nth == u.nth {
		u.rested = true
		return u.ask()
	}
	_, cmd := u.asks.Update(u.page.Host, u.page.Self, msg)
	return cmd
}

// facts are the answers about a node; nil while there are none.
func (u *unready) facts(node *model.Node) *unreadyFacts {
	if u.of != ID(node) || !u.asks.Value.known {
		return nil
	}
	return &u.asks.Value
}

// leaseWords say how old the Lease of the node is.
func (f *unreadyFacts) leaseWords(o *page.Observed) string {
	switch {
	case f.unread != nil:
		return "Lease unknown"
	case f.renewed.IsZero():
		return "no Lease"
	}
	return "Lease renewed " + o.Since(f.renewed) + " ago"
}

// fitWords name the pending pods that would fit if the node were Ready; "" where none is
// pending.
func (f *unreadyFacts) fitWords() string {
	var words []string
	for _, kind := range f.fit {
		words = append(words, fmt.Sprintf("%s ×%d", kind.FullName(), kind.Count()))
	}
	var limits []string
	if f.open > 0 {
		limits = append(limits, fmt.Sprintf("%d unknown", f.open))
	}
	if f.left > 0 {
		limits = append(limits, model.FormatCount(f.left)+" not evaluated")
	}
	limit := ""
	if len(limits) > 0 {
		limit = " (" + strings.Join(limits, ", ") + ")"
	}
	switch {
	case f.asked == 0:
		return ""
	case f.failed != nil:
		return "pending pods that would fit if it were Ready: " + model.UnknownFigure + " (" + f.failed.Error() + ")"
	case len(words) == 0 && limit == "":
		return "no pending pod would fit if it were Ready"
	case len(words) == 0:
		words = []string{"none"}
	}
	return "pending pods that would fit if it were Ready: " + grammar.List(words, grammar.Few) + limit
}
