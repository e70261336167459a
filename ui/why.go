package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/group"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// whyView is the page that says why a pod waits, or where it runs.
type whyView struct {
	page.Base
	app      *App
	pod      *model.Pod // as it was last seen
	draw     why.Page
	explains page.Poll[explained]
	tries    fixes.Poll // which fixes work: asked when the explanation is there
	reads    page.Question[[]model.Event]
	readAt   time.Time   // when the events were asked for
	readOf   string      // the version of the pod that they were asked for
	lent     *group.Page // the page of a group that shows what is explained; nil: none is on top
}

// explained is an explanation, and its answers by the names of nodes.
type explained struct {
	report *report.Report
	nodes  map[string]*report.NodeResult
}

// readEvery is how old the events may get while the cluster moves.
const readEvery = 15 * time.Second

// newWhy opens the page about one pod. What Pending knows already is shown at once.
func newWhy(a *App, pod *model.Pod) *whyView {
	w := &whyView{Base: page.Base{Host: &a.host}, app: a, pod: pod}
	if kind, ok := a.observed.Snapshot.KindOf(w.uid()); ok {
		if report := a.verdicts.of(kind); report != nil && (kind.Refused != nil || report.Pod.UID == string(w.uid())) {
			known := explained{report, why.ResultsByName(report.Nodes)}
			w.explains.Seed(known, 0)
			w.take(known)
		}
	}
	return w
}

func (w *whyView) uid() types.UID { return w.pod.Object.UID }

// ref names the pod, or the controller that could not create it, for the API server.
func (w *whyView) ref() model.Ref { return page.SelectPod(w.pod).Ref }

// Update takes snapshots, answers and the mouse.
func (w *whyView) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		return w.onSnapshot(msg.Snapshot)
	case page.Answer[[]model.Event]:
		w.onEvents(msg)
		return nil
	case tea.MouseMsg:
		return w.onMouse(msg)
	}
	return tea.Batch(w.onExplains(msg), w.onTries(msg))
}

// onExplains takes the messages of the explanation.
func (w *whyView) onExplains(msg tea.Msg) tea.Cmd {
	news, rest := w.explains.Update(&w.app.host, w, msg)
	w.draw.Explaining = w.explains.Slow
	switch news {
	case page.Answered:
		var shown tea.Cmd
		if w.explains.Trouble == nil {
			w.take(w.explains.Value)
			if w.lent != nil {
				shown = w.lent.Explained()
			}
		}
		return tea.Batch(shown, rest, w.fix())
	case page.Renew:
		return w.explain()
	}
	return nil
}

// onSnapshot finds the pod in it and asks again where the answer may be another.
func (w *whyView) onSnapshot(s *model.Snapshot) tea.Cmd {
	w.draw.Snapshot = s
	kind, waits := s.KindOf(w.uid())
	pod, ok := s.PodNamed(w.pod.Object.Namespace, w.pod.Object.Name)
	if ok = ok && pod.Object.UID == w.uid(); !ok && waits {
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
	return tea.Batch(w.explain(), w.read())
}

// shown says whether anybody looks at the page, or at one of its groups.
func (w *whyView) shown() bool {
	return w.app.history.top() == page.View(w) || w.lent != nil && w.app.history.top() == page.View(w.lent)
}

// explain asks why, off the event loop, unless the answer is there, on its way,
// or nobody looks.
func (w *whyView) explain() tea.Cmd {
	if w.draw.Gone || !w.shown() {
		return nil
	}
	uid := w.uid()
	return w.explains.Ask(&w.app.host, w, func(ctx context.Context, cluster page.Cluster) (explained, error) {
		r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(uid), Parts: report.Nodes})
		if err != nil {
			return explained{}, err
		}
		return explained{r, why.ResultsByName(r.Nodes)}, nil
	})
}

// take swaps the report. The group that was selected stays so, told by its
// nearest node; columns never go away.
func (w *whyView) take(known explained) {
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
	if d.Cursor.Part == why.PartGroups {
		d.Cursor.Row = at
	}
	w.arrange()
}

// read asks for the pod's events, now and then.
func (w *whyView) read() tea.Cmd {
	version := w.pod.Object.ResourceVersion
	fresh := version == w.readOf && w.app.observed.At.Sub(w.readAt) < readEvery
	if w.reads.Busy() || fresh || w.app.Cluster == nil || !w.shown() {
		return nil
	}
	w.readAt, w.readOf = w.app.observed.At, version
	cluster, ref := w.app.Cluster, w.ref()
	return w.reads.Put(&w.app.host, w, func(ctx context.Context) ([]model.Event, error) {
		return cluster.Events(ctx, ref)
	})
}

// onEvents shows them, the newest first.
func (w *whyView) onEvents(msg page.Answer[[]model.Event]) {
	if !w.reads.Takes(msg) {
		return
	}
	if w.draw.Unheard = msg.Err; msg.Err != nil {
		return
	}
	w.draw.Hear(msg.Value)
	w.arrange()
}

// Leave cancels what nobody will look at.
func (w *whyView) Leave() {
	w.explains.Leave()
	w.reads.End()
	w.tries.Leave()
	w.draw.Explaining = false
	w.readOf = ""
}
