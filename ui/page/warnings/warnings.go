// Package warnings shows on Pending and Nodes what limits a cluster although no pod may be pending for it yet.
package warnings

import (
	"cmp"
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/warnings"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// keys open the views that show more.
var keys = map[string]string{
	warnings.Pods: "2", warnings.Nodes: "3", warnings.Pools: "4", warnings.Taints: "5", warnings.Priorities: "6",
	warnings.Quotas: "8", warnings.Budgets: "9", warnings.Schedulers: ":schedulers",
}

// Nodes is the view of which the answer counts nodes by their state.
const Nodes = warnings.Nodes

// Leads says in a sentence which key, or what typed, shows more about a warning.
func Leads(w *warnings.Warning) string {
	return grammar.Capital(reach(w)) + " for " + w.View + "."
}

// reach says what to press or type for the view that shows more.
func reach(w *warnings.Warning) string {
	if key := keys[w.View]; strings.HasPrefix(key, ":") {
		return "type " + key
	}
	return "press " + keys[w.View]
}

// Watch computes the warnings off the event loop while a page is on top: when it is shown,
// and again after a while.
type Watch struct {
	Host page.Host
	Self page.View
	On   string // the name of the view: no warning sends a user there

	shown     int // how often the page was
	namespace string
	asked     time.Time
	asks      page.Poll[answer]
}

// answer is what was found out.
type answer struct {
	namespace string // that was shown
	warnings  []warnings.Warning
	hard      inventory.Hard // of that namespace
}

const (
	// again is after how long the warnings are computed again, and sooner where a namespace is shown:
	// its quotas are in view.
	again, sooner = 2 * time.Minute, 30 * time.Second
	// soon is after how long at the earliest: a user comes back to the page again and again.
	soon = 5 * time.Second
)

// againMsg computes the warnings again, unless the page was shown anew since.
type againMsg struct{ shown int }

// Update takes the messages of the page.
func (w *Watch) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		if msg.Shown {
			w.shown++
			if left := soon - w.Host.Observed().At.Sub(w.asked); left > 0 && w.asks.Revision() != 0 && w.namespace == w.Host.Namespace() {
				return w.Host.Later(w.Self, left, againMsg{w.shown})
			}
			return w.ask()
		}
		if w.asks.Revision() == 0 {
			return w.ask()
		}
		return nil
	case againMsg:
		if msg.shown == w.shown && w.Host.Shown(w.Self) {
			return w.ask()
		}
		return nil
	}
	news, cmd := w.asks.Update(w.Host, w.Self, msg)
	if news == page.Answered {
		after := again
		if w.Host.Namespace() != "" {
			after = sooner
		}
		return tea.Batch(cmd, w.Host.Later(w.Self, after, againMsg{w.shown}))
	}
	return cmd
}

func (w *Watch) ask() tea.Cmd {
	o := w.Host.Observed()
	if o.NotRead("nodes") != "" || w.Host.Hides() {
		return nil
	}
	at := warnings.At{Namespace: w.Host.Namespace(), Full: w.Host.Levels().Full, Now: o.AsOf(), Pods: w.On == ""}
	snapshot := o.Snapshot
	w.namespace, w.asked = at.Namespace, o.At
	return w.asks.AskNow(w.Host, w.Self, func(ctx context.Context, cluster page.Cluster) (answer, error) {
		objects, err := cluster.Objects(ctx, warnings.Resources...)
		if err != nil {
			return answer{}, err
		}
		list, _ := model.ListOf[*corev1.ResourceQuota](objects, "resourcequotas")
		return answer{at.Namespace, warnings.Of(snapshot, objects, at), inventory.HardOf(list, at.Namespace)}, nil
	})
}

// more is the key that shows more, " (press 5)", which nobody takes for a count; "" in that very view.
func (w *Watch) more(warning *warnings.Warning) string {
	if warning.View == w.On {
		return ""
	}
	return " (" + reach(warning) + ")"
}

// All are the warnings; none while they are not known, or hidden by a lesson.
func (w *Watch) All() []warnings.Warning {
	if w.Host.Hides() || w.asks.Value.namespace != w.Host.Namespace() {
		return nil
	}
	return w.asks.Value.warnings
}

// Hard is what the quotas of the namespace that is shown allow; nothing while that is not known.
func (w *Watch) Hard() inventory.Hard {
	if w.asks.Value.namespace != w.Host.Namespace() {
		return inventory.Hard{}
	}
	return w.asks.Value.hard
}

// Lead is what comes before an answer, with a blank after it; "" is nothing.
func (w *Watch) Lead() string {
	for _, warning := range w.All() {
		if warning.Urgent {
			return warning.Short + ". "
		}
	}
	return ""
}

// Soon is a sentence that an answer makes room for; "" is none.
func (w *Watch) Soon() string {
	for _, warning := range w.All() {
		if warning.Soon {
			return warning.Short + "."
		}
	}
	return ""
}

// After adds to an answer as many warnings as fit width cells, with the keys of their views where these fit too; what
// Lead and Soon say is in it already.
func (w *Watch) After(answer string, width int) string {
	for _, warning := range w.All() {
		if warning.Urgent || (warning.Counted || warning.Soon) && w.On == Nodes {
			continue // the answer has it
		}
		for _, key := range []string{w.more(&warning), ""} {
			if longer := answer + " " + w.Host.Observed().Brief(warning.Short) + key + "."; cells.Width(longer) < width {
				answer = longer
				break
			}
		}
	}
	return answer
}

// Lines are the warnings in full, as many as fit so many rows of a page of a width.
func (w *Watch) Lines(width, rows int) []string {
	const mark = "! "
	s, o := w.Host.Styles(), w.Host.Observed()
	var lines []string
	for _, warning := range w.All() {
		press, key := ".", w.more(&warning)+"."
		if warning.View != w.On {
			press += " " + Leads(&warning)
		}
		middle := o.Brief(cmp.Or(warning.Middle, warning.Short))
		wrapped := wrappedIn(rows-len(lines), width-table.Gutter-len(mark)-1, o.Brief(warning.Long)+press, middle+press, middle+key, o.Brief(warning.Short)+press)
		for i, line := range wrapped {
			lead := s.Warn.Render(mark)
			if i > 0 {
				lead = cells.Blank(len(mark))
			}
			lines = append(lines, cells.Blank(table.Gutter)+lead+s.Text.Render(line))
		}
	}
	return lines
}

// wrappedIn is the first of some sentences that has room in so many rows of a width; nothing where none has.
func wrappedIn(rows, width int, sentences ...string) []string {
	for _, sentence := range sentences {
		if wrapped := cells.Wrap(sentence, width); len(wrapped) <= rows {
			return wrapped
		}
	}
	return nil
}
