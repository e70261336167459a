// Package why is the page that says why a pod waits, or where it runs.
package why

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// Page is the page that says why a pod waits, or where it runs.
type Page struct {
	page.Base
	pod  *model.Pod // as it was last seen
	draw explanation.Drawing
	asks questions
	lent borrower // the page that shows what is explained; nil: none is on top
}

// New opens the page about one pod. What is known already is shown at once.
func New(h page.Host, known Known, pod *model.Pod) *Page {
	w := &Page{Base: page.Base{Host: h}, pod: pod}
	w.asks = questions{host: h, view: w, of: pod, tries: known.Tried(uidOf(pod))}
	if kind, ok := h.Observed().Snapshot.ClassOf(uidOf(pod)); ok {
		if report := known.Of(kind); report != nil && (kind.NotCreated != nil || report.Pod.UID == string(uidOf(pod))) {
			known := explained{report, explanation.ResultsByName(report.Nodes)}
			w.asks.explains.Seed(known, 0)
			w.take(known)
		}
	}
	return w
}

// Known is what Pending knows already.
type Known interface {
	// Of is the newest explanation of a kind; nil if there is none yet.
	Of(kind *model.EquivalenceClass) *report.Report
	// Tried are the fixes of a pod in the present state, as far as they were simulated.
	Tried(pod types.UID) fixes.Poll
}

func uidOf(pod *model.Pod) types.UID { return pod.Object.UID }

// Update takes snapshots, answers and the mouse.
func (w *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		return w.onSnapshot(msg.Snapshot)
	case page.TickMsg:
		if w.draw.Gone || w.Host.Observed().Lost() {
			return nil
		}
		w.asks.explains.Age(w.Host.Observed())
		return tea.Batch(w.asks.explain(), w.asks.read())
	case page.Answer[[]model.Event]:
		w.onEvents(msg)
		return nil
	case tea.MouseMsg:
		return w.onMouse(msg)
	}
	return tea.Batch(w.onExplains(msg), w.onTries(msg))
}

// onExplains takes the messages of the explanation.
func (w *Page) onExplains(msg tea.Msg) tea.Cmd {
	news, rest := w.asks.explains.Update(w.Host, w, msg)
	w.draw.Explaining = w.asks.explains.Slow
	switch news {
	case page.Answered:
		var shown tea.Cmd
		if w.asks.explains.Trouble == nil {
			w.take(w.asks.explains.Value)
			if w.lent != nil {
				shown = w.lent.Explained()
			}
		}
		return tea.Batch(shown, rest, w.asks.fix())
	case page.Renew:
		return w.asks.explain()
	}
	return nil
}

// onSnapshot finds the pod in it and asks again where the answer may be another.
func (w *Page) onSnapshot(s *model.Snapshot) tea.Cmd {
	w.draw.Snapshot = s
	kind, waits := s.ClassOf(uidOf(w.pod))
	pod, ok := s.PodNamed(w.pod.Object.Namespace, w.pod.Object.Name)
	if ok = ok && pod.Object.UID == uidOf(w.pod); !ok && waits {
		pod, ok = kind.First(), true // it was not created
	}
	if ok {
		w.pod = pod
	}
	w.draw.Gone = !ok && len(s.Status.Reading) == 0 && s.Revision > 0
	w.draw.Pod, w.draw.Kind = w.pod, kind
	if w.draw.Gone {
		w.Leave()
		return nil
	}
	return tea.Batch(w.asks.explain(), w.asks.read())
}

// take swaps the report. The group that was selected stays so, told by its
// nearest node; columns never go away.
func (w *Page) take(known explained) {
	d := &w.draw
	nearest := ""
	if d.Report != nil {
		if g, ok := d.Group(); ok && len(g.Nodes) > 0 {
			nearest = g.Nodes[0]
		}
	}
	d.Take(known.report, known.nodes)
	at := slices.IndexFunc(d.Table.Rows, func(g report.Group) bool { return slices.Contains(g.Nodes, nearest) })
	if at < 0 {
		at = min(d.Chosen, max(0, len(d.Table.Rows)-1))
	}
	d.Chosen = at
	if d.Cursor.Part == explanation.PartGroups {
		d.Cursor.Row = at
	}
	arrange(w.dressed())
}

// onEvents shows them, the newest first.
func (w *Page) onEvents(msg page.Answer[[]model.Event]) {
	if !w.asks.reads.Takes(msg) {
		return
	}
	if w.draw.Unheard = msg.Err; msg.Err != nil {
		return
	}
	w.draw.Hear(msg.Value)
	arrange(w.dressed())
}

// onTries takes the messages of the fixes. A fix that is selected stays so, by its
// title.
func (w *Page) onTries(msg tea.Msg) tea.Cmd {
	chosen, ok := w.draw.ChosenFix()
	title := ""
	if ok {
		title = chosen.Title
	}
	news, rest := w.asks.tries.Update(w.Host, w, msg)
	switch news {
	case page.Answered, page.Partly:
		if ok {
			w.draw.Cursor.Row = fixes.IndexOf(w.asks.tries.Value, title, w.draw.Cursor.Row)
		}
		arrange(w.dressed())
		return rest
	case page.Renew:
		return w.asks.fix()
	}
	return nil
}

// Leave cancels what nobody will look at.
func (w *Page) Leave() {
	w.asks.leave()
	w.draw.Explaining = false
}
