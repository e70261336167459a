package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// whyView is the page that says why a pod waits, or where it runs.
type whyView struct {
	page
	pod      *model.Pod // as it was last seen
	draw     why.Page
	trouble  error // the last explanation failed
	explains asking
	resting  bool   // none is asked for until againMsg
	revision int64  // of the snapshot that was on screen when the newest was asked for
	tries    fixing // which fixes work: asked when the explanation is there
	reads    asking
	readAt   time.Time  // when the events were asked for
	readOf   string     // the version of the pod that they were asked for
	lent     *groupPage // the page of a group that shows what is explained; nil: none is on top
}

const (
	// slowAfter is how long an explanation may take before the page says so.
	slowAfter = 100 * time.Millisecond
	// readEvery is how old the events may get while the cluster moves.
	readEvery = 15 * time.Second
)

type (
	// answeredMsg brings an explanation.
	answeredMsg struct {
		nth    int
		report *report.Report
		nodes  map[string]*report.NodeResult
		err    error
		took   time.Duration
	}
	// slowMsg says that an explanation takes its time.
	slowMsg struct{ nth int }
	// againMsg says that the next explanation may be asked for.
	againMsg struct{ nth int }
	// eventsMsg brings the events of the page's pod.
	eventsMsg struct {
		nth    int
		events []model.Event
		err    error
	}
)

// newWhy opens the page about one pod. What Pending knows already is shown at once.
func newWhy(a *App, pod *model.Pod) *whyView {
	w := &whyView{page: page{app: a}, pod: pod}
	if kind, ok := a.observed.snapshot.KindOf(w.uid()); ok {
		if report := a.verdicts.of(kind); report != nil && (kind.Refused != nil || report.Pod.UID == string(w.uid())) {
			w.take(report, why.ResultsByName(report.Nodes))
		}
	}
	return w
}

func (w *whyView) uid() types.UID { return w.pod.Object.UID }

// ref names the pod, or the controller that could not create it, for the API server.
func (w *whyView) ref() model.Ref { return podSelection(w.pod).ref }

// update takes snapshots, answers and the mouse.
func (w *whyView) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return w.onSnapshot(msg.snapshot)
	case answeredMsg:
		return w.onExplained(msg)
	case slowMsg:
		w.draw.Explaining = w.explains.open(msg.nth) && w.draw.Report != nil
	case againMsg:
		if msg.nth == w.explains.nth {
			w.resting = false
			return w.explain()
		}
	case fixedMsg:
		return w.onFixed(msg)
	case fixAgainMsg:
		if w.tries.rested(msg) {
			return w.fix()
		}
	case eventsMsg:
		w.onEvents(msg)
	case tea.MouseMsg:
		return w.onMouse(msg)
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
		w.leave()
		return nil
	}
	return tea.Batch(w.explain(), w.read())
}

// shown says whether anybody looks at the page, or at one of its groups.
func (w *whyView) shown() bool {
	return w.app.history.top() == view(w) || w.lent != nil && w.app.history.top() == view(w.lent)
}

// explain asks why, off the event loop, unless the answer is there, on its way,
// or nobody looks.
func (w *whyView) explain() tea.Cmd {
	revision := w.app.observed.snapshot.Revision
	known := (w.draw.Report != nil || w.trouble != nil) && w.revision >= revision
	if known || w.explains.busy || w.resting || w.draw.Gone || !w.shown() || w.app.observed.isReading() || w.app.Cluster == nil {
		return nil
	}
	w.revision = revision
	ctx, nth := w.explains.begin(w.app.ctx)
	cluster, uid, now := w.app.Cluster, w.uid(), w.app.Now
	ask := w.app.ask(w, func(context.Context) tea.Msg {
		start := now()
		r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(uid), Parts: report.Nodes})
		if err != nil {
			return answeredMsg{nth: nth, err: err, took: now().Sub(start)}
		}
		return answeredMsg{nth, r, why.ResultsByName(r.Nodes), nil, now().Sub(start)}
	})
	return tea.Batch(ask, w.app.later(w, slowAfter, slowMsg{nth}))
}

// onExplained shows an answer, unless it is stale, and rests before the next.
func (w *whyView) onExplained(msg answeredMsg) tea.Cmd {
	if !w.explains.open(msg.nth) {
		return nil
	}
	w.explains.busy, w.resting, w.draw.Explaining = false, true, false
	if w.trouble = msg.err; msg.err == nil {
		w.take(msg.report, msg.nodes)
	}
	var shown tea.Cmd
	if w.lent != nil && msg.err == nil {
		shown = w.lent.explained()
	}
	return tea.Batch(shown, w.app.later(w, max(restLeast, restFactor*msg.took), againMsg{msg.nth}), w.fix())
}

// take swaps the report. The group that was selected stays so, told by its
// nearest node; columns never go away.
func (w *whyView) take(report *report.Report, nodes map[string]*report.NodeResult) {
	d := &w.draw
	nearest := ""
	if d.Report != nil {
		if g, ok := d.Group(); ok && len(g.Nodes) > 0 {
			nearest = g.Nodes[0]
		}
	}
	d.Report, d.Nodes = report, nodes
	d.Groups, d.Columns = why.Groups(report), why.ColumnsOf(report, d.Columns)
	at := slices.IndexFunc(d.Groups, func(g why.Group) bool { return slices.Contains(g.Nodes, nearest) })
	if at < 0 {
		at = min(d.Chosen, max(0, len(d.Groups)-1))
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
	fresh := version == w.readOf && w.app.observed.at.Sub(w.readAt) < readEvery
	if w.reads.busy || fresh || w.app.Cluster == nil || !w.shown() {
		return nil
	}
	w.readAt, w.readOf = w.app.observed.at, version
	ctx, nth := w.reads.begin(w.app.ctx)
	cluster, ref := w.app.Cluster, w.ref()
	return w.app.ask(w, func(context.Context) tea.Msg {
		events, err := cluster.Events(ctx, ref)
		return eventsMsg{nth, events, err}
	})
}

// onEvents shows them, the newest first.
func (w *whyView) onEvents(msg eventsMsg) {
	if !w.reads.open(msg.nth) {
		return
	}
	w.reads.busy = false
	if w.draw.Unheard = msg.err; msg.err != nil {
		return
	}
	w.draw.Hear(msg.events)
	w.arrange()
}

// leave cancels what nobody will look at.
func (w *whyView) leave() {
	w.explains.end()
	w.reads.end()
	w.tries.leave()
	w.draw.Explaining, w.resting, w.revision = false, false, 0
	w.readOf = ""
}
