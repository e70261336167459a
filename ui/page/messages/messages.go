// Package messages is the page of kube-scheduler's message about a pod, and fathom's.
package messages

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// Page is the page.
type Page struct {
	page.Text
	pod     *model.Pod
	spoken  explanation.Messages
	asks    page.Question[*report.Report]
	asked   bool // since the page was shown
	trouble error
}

// New makes the page about one pod. report, where another page has one already, is
// shown at once; it may be nil.
func New(h page.Host, pod *model.Pod, report *report.Report) *Page {
	w := &Page{Text: page.Text{Base: page.Base{Host: h}}, pod: pod}
	w.spoken.Report = report
	return w
}

// Crumbs implements page.View.
func (w *Page) Crumbs() []string {
	return []string{"pending", page.PodName(w.Host, w.pod), "message"}
}

// Answer implements page.View.
func (w *Page) Answer(int) string {
	switch {
	case w.trouble != nil:
		return "Not available: " + model.Clean(w.trouble.Error())
	case w.spoken.Report == nil:
		return "Explaining " + model.Clean(w.pod.FullName()) + "."
	}
	w.spoken.Now = w.Host.Observed().AsOf()
	return model.Clean(w.spoken.Sentence())
}

// Resize implements page.View.
func (w *Page) Resize(width, height int) {
	w.Text.Resize(width, height)
	w.compose()
}

// compose breaks the messages into lines for the page's width.
func (w *Page) compose() {
	if w.spoken.Report == nil {
		return
	}
	w.spoken.Now, w.spoken.Status = w.Host.Observed().AsOf(), w.Host.Observed().Snapshot.Status
	w.Content.SetLines(w.spoken.Lines(max(1, w.Width-2)))
}

// Update implements page.View.
func (w *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		w.compose()
		return w.ask()
	case page.TickMsg:
		w.compose() // its ages
		return nil
	case page.Answer[*report.Report]:
		w.onSpoken(msg)
		return nil
	}
	return w.Text.Update(msg)
}

// ask fetches the messages, once each time that the page is shown.
func (w *Page) ask() tea.Cmd {
	cluster := w.Host.Cluster()
	if w.asked || w.Host.Observed().IsReading() || cluster == nil {
		return nil
	}
	w.asked = true
	uid := w.pod.Object.UID
	return w.asks.Put(w.Host, w, func(ctx context.Context) (*report.Report, error) {
		return cluster.Ask(ctx, report.Query{Target: report.PodOf(uid)})
	})
}

func (w *Page) onSpoken(msg page.Answer[*report.Report]) {
	if !w.asks.Takes(msg) {
		return
	}
	if w.trouble = msg.Err; msg.Err == nil {
		w.spoken.Report = msg.Value
	}
	w.compose()
}

// Leave cancels fetching; the page fetches again when it is shown again.
func (w *Page) Leave() {
	w.asks.End()
	w.asked = false
}
