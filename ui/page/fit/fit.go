// Package fit is the page of how many more pods like one fit.
package fit

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// asked is how many more pods are placed: more would take long in a large cluster.
const asked = 50

// Page says how many more pods like one fit, on which nodes, by pool, and what stops the
// next one.
type Page struct {
	page.Text
	pod  *model.Pod // as it was last seen
	gone bool
	poll page.Poll[*report.Fit]
}

// New makes the page about one pod.
func New(h page.Host, pod *model.Pod) *Page {
	return &Page{Text: page.Text{Base: page.Base{Host: h}}, pod: pod}
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	list := "pods"
	if p.pod.Object.Spec.NodeName == "" {
		list = "pending"
	}
	return []string{list, page.PodName(p.Host, p.pod), "fit"}
}

// Answer implements page.View.
func (p *Page) Answer(int) string {
	switch answer := p.poll.Value; {
	case p.poll.Trouble != nil:
		return "Not available: " + model.Clean(p.poll.Trouble.Error())
	case answer == nil && p.gone:
		return page.Deleted(p.Host.Observed(), p.pod, "")
	case answer == nil && p.Host.Observed().IsReading():
		return p.Host.ReadingWords()
	case answer == nil:
		return "Simulating how many more pods fit."
	case p.gone:
		return page.Deleted(p.Host.Observed(), p.pod, p.brief(answer.MoreSentence()))
	default:
		return p.brief(answer.MoreSentence())
	}
}

// brief is text of ours, clean and with short names of nodes.
func (p *Page) brief(text string) string { return p.Host.Observed().Brief(text) }

// Note implements page.View: what is placed is simulated.
func (p *Page) Note() string {
	if note := p.Text.Note(); note != "" {
		return note
	}
	return fmt.Sprintf("Simulated, up to %d pods; other pending pods are ignored", asked)
}

// Resize implements page.View.
func (p *Page) Resize(width, height int) {
	p.Text.Resize(width, height)
	p.compose()
}

// compose breaks the answer into lines for the page's width.
func (p *Page) compose() {
	if p.poll.Value == nil {
		return
	}
	pool := func(name string) string {
		if node, ok := p.Host.Observed().Snapshot.Node(name); ok {
			return node.Pool
		}
		return ""
	}
	var lines []textview.Line
	if answer := p.Answer(p.Width); cells.Width(answer) > p.Width-1 { // the row of the answer has no room for it
		for _, line := range append(cells.Wrap(answer, max(1, p.Width-2)), "") {
			lines = append(lines, textview.Line{Text: " " + line, Tone: tone.Plain})
		}
	}
	for line := range strings.Lines(p.poll.Value.Evidence(max(1, p.Width-2), pool)) {
		lines = append(lines, textview.Line{Text: " " + model.Clean(strings.TrimSuffix(line, "\n")), Tone: tone.Plain})
	}
	p.Content.SetLines(lines)
}

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if s, ok := msg.(page.SnapshotMsg); ok {
		if p.pod, p.gone = page.PodIn(s.Snapshot, p.pod); p.gone {
			p.Leave()
			return nil
		}
		p.compose()
		return p.ask()
	}
	switch news, rest := p.poll.Update(p.Host, p, msg); news {
	case page.Answered:
		p.compose()
		return tea.Batch(p.ask(), rest)
	case page.Renew:
		return p.ask()
	}
	return p.Text.Update(msg)
}

// ask asks, off the event loop, unless the answer is there, on its way, or nobody looks.
func (p *Page) ask() tea.Cmd {
	if p.gone || !p.Host.Shown(p) {
		return nil
	}
	uid := p.pod.Object.UID
	return p.poll.Ask(p.Host, p, func(ctx context.Context, cluster page.Cluster) (*report.Fit, error) {
		return cluster.Fit(ctx, uid, asked)
	})
}

// Leave cancels what nobody will look at.
func (p *Page) Leave() { p.poll.Leave() }

// Selected implements page.View.
func (p *Page) Selected() page.Selection { return page.SelectPod(p.pod) }

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	return keymap.Everywhere | keymap.Text | keymap.PodFacts
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	if do == keymap.Fit {
		return "this page shows how many more pods fit."
	}
	return page.OffPod(p.Host.Observed(), do, p.gone, p.Selected())
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if page.AboutPod(do) {
		return p.Host.ActOn(do, p.Selected())
	}
	return p.Text.Act(do)
}
