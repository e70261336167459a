package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// words is the page of the scheduler's words about a pod, and of ours.
type words struct {
	textPage
	pod     *model.Pod
	spoken  why.Spoken
	asks    asking
	asked   bool // since the page was shown
	trouble error
}

// spokenMsg brings what was said of a pod.
type spokenMsg struct {
	nth     int
	report  *report.Report
	err     error
	events  []model.Event
	unheard error // why there are no events
}

// newWords opens the page about one pod. What Why knows already is shown at
// once; report may be nil.
func newWords(a *App, pod *model.Pod, report *report.Report) *words {
	w := &words{pod: pod, textPage: textPage{page: page{app: a}}}
	w.spoken.Report = report
	return w
}

func (w *words) crumbs() []string {
	return []string{"pending", w.app.opener.podName(w.pod).Text, "words"}
}

func (w *words) answer(int) string {
	switch {
	case w.trouble != nil:
		return "No answer: " + model.Clean(w.trouble.Error())
	case w.spoken.Report == nil:
		return "Explaining " + model.Clean(w.pod.FullName()) + "."
	}
	w.spoken.Now = w.app.observed.asOf()
	return model.Clean(w.spoken.Sentence())
}

func (w *words) resize(width, height int) {
	w.textPage.resize(width, height)
	w.compose()
}

// compose breaks the words into lines for the page's width.
func (w *words) compose() {
	if w.spoken.Report == nil {
		return
	}
	w.spoken.Now, w.spoken.Status = w.app.observed.asOf(), w.app.observed.snapshot.Status
	w.show(w.spoken.Lines(max(1, w.width-2)))
}

func (w *words) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		w.compose()
		return w.ask()
	case spokenMsg:
		w.onSpoken(msg)
		return nil
	}
	return w.textPage.update(msg)
}

// ask fetches what was said, once each time that the page is shown.
func (w *words) ask() tea.Cmd {
	if w.asked || w.app.observed.isReading() || w.app.Cluster == nil {
		return nil
	}
	w.asked = true
	ctx, nth := w.asks.begin(w.app.ctx)
	cluster, uid, ref := w.app.Cluster, w.pod.Object.UID, podSelection(w.pod).ref
	return w.app.ask(w, func(context.Context) tea.Msg {
		msg := spokenMsg{nth: nth}
		msg.report, msg.err = cluster.Ask(ctx, report.Query{Target: report.PodOf(uid)})
		msg.events, msg.unheard = cluster.Events(ctx, ref)
		return msg
	})
}

func (w *words) onSpoken(msg spokenMsg) {
	if !w.asks.open(msg.nth) {
		return
	}
	w.asks.busy = false
	if w.trouble = msg.err; msg.err == nil {
		w.spoken.Report = msg.report
	}
	w.spoken.Hear(msg.events)
	w.spoken.Unheard = msg.unheard
	w.compose()
}

// leave cancels what nobody will look at; shown again, the page asks again.
func (w *words) leave() {
	w.asks.end()
	w.asked = false
}
