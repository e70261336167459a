package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// Crumbs are the list that one came from, and the pod.
func (w *whyView) Crumbs() []string {
	view := "pending"
	if !w.pod.Waits {
		view = "pods"
	}
	return []string{view, w.title()}
}

// title is the pod's name with its namespace where the header does not say that.
func (w *whyView) title() string {
	if w.app.namespace() != "" {
		return w.pod.Name()
	}
	return w.pod.FullName()
}

// Answer is the verdict in one sentence.
func (w *whyView) Answer(int) string {
	r := w.draw.Report
	switch {
	case w.explains.Trouble != nil:
		return "No answer: " + model.Clean(w.explains.Trouble.Error())
	case r == nil && w.draw.Gone:
		return "Gone."
	case r == nil:
		return w.waiting()
	case w.draw.Gone:
		return "Gone. It was: " + w.draw.Brief(r.Summary)
	}
	return w.draw.Verdict()
}

// waiting says what the first answer waits for.
func (w *whyView) waiting() string {
	if len(w.app.observed.Snapshot.Status.Reading) > 0 {
		return w.app.contexts.readingWords()
	}
	return "Explaining " + model.Clean(w.pod.FullName()) + "."
}

// dressed is the page as it is drawn now.
func (w *whyView) dressed() *why.Page {
	d := &w.draw
	d.Now, d.Styles = w.app.observed.AsOf(), w.app.styles()
	d.Width, d.Height = w.Width, w.Height
	d.Fixes, d.Unfixed = w.tries.Value, w.tries.Trouble
	d.Snapshot, d.Pod, d.Domain = w.app.observed.Snapshot, w.pod, w.app.observed.Domain
	return d
}

// lines are the rows of the body, with what selects them.
func (w *whyView) lines() []why.Line {
	d := w.dressed()
	if d.Report == nil {
		return nil
	}
	return d.Lines()
}

func (w *whyView) Body() []string {
	lines := w.lines()
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = line.Text
	}
	return drawn
}

// Note is the selected row's text if it was cut, else the answer if that was.
func (w *whyView) Note() string {
	d := w.dressed()
	if d.Report == nil {
		return ""
	}
	if text, room := d.ChosenText(); cells.Width(text) > room {
		return text
	}
	if d.AboutNodes() && d.VerdictCut() {
		return endOf(d.Verdict(), d.Width-1)
	}
	return ""
}

// endOf is the end of a text that has no room in width cells, from a word on.
func endOf(text string, width int) string {
	if cells.Width(text) <= width {
		return text
	}
	end := ansi.TruncateLeft(text, cells.Width(text)-width+1, "")
	_, words, ok := strings.Cut(end, " ")
	if !ok {
		return "… " + ansi.TruncateLeft(end, 1, "")
	}
	return "… " + words
}

// Selected is the pod; on a row of a node it is that node.
func (w *whyView) Selected() page.Selection {
	if w.draw.Cursor.Part == why.PartNodes && w.draw.Report != nil {
		if g, ok := w.draw.Group(); ok && w.draw.Cursor.Row < len(g.Nodes) {
			name := g.Nodes[w.draw.Cursor.Row]
			node, _ := w.app.observed.Snapshot.Node(name)
			return page.Selection{Ref: model.Ref{Resource: "nodes", Name: name}, Node: node, Copy: name}
		}
	}
	return page.Selection{Ref: w.ref(), Pod: w.pod, Copy: w.pod.FullName()}
}

func (w *whyView) Places() keymap.Place {
	if w.Selected().Ref.Resource == "nodes" {
		return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnGroup | keymap.OnPod | keymap.PodFacts
}

func (w *whyView) Footer() []page.Key {
	open := "open"
	if w.draw.Cursor.Part == why.PartNodes {
		return append([]page.Key{{Do: keymap.Open, Word: "pods"}}, page.Keys(keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Trace, keymap.Words, keymap.More, keymap.Close)...)
	}
	return append([]page.Key{{Do: keymap.Open, Word: open}}, page.Keys(keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Words, keymap.Describe, keymap.YAML, keymap.Copy, keymap.More, keymap.Close)...)
}

// Off tells why a key can do nothing here.
func (w *whyView) Off(do keymap.Action) string {
	switch do {
	case keymap.GoNode:
		return page.OffPod(&w.app.observed, do, w.draw.Gone, w.Selected())
	case keymap.Fixes, keymap.Preempt:
		return page.OffPod(&w.app.observed, do, w.draw.Gone, page.SelectPod(w.pod))
	case keymap.Open:
		if _, ok := w.draw.Openable(); !ok && w.draw.Cursor.Part != why.PartFixes {
			return "this row has no nodes."
		}
	case keymap.Explain:
		if w.Selected().Ref.Resource != "nodes" {
			return "this page explains the pod."
		}
	case keymap.Words, keymap.Copy:
		if w.draw.Report == nil {
			return "there is no answer yet."
		}
	case keymap.Trace:
		if !w.pod.Exists() {
			return w.pod.FullName() + " has no pod yet."
		}
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide:
		return "not available on this page."
	}
	return ""
}

// ShowsUsage says that the figures behind a shortage tell what is used.
func (w *whyView) ShowsUsage() bool { return w.draw.Report != nil && w.draw.AboutNodes() }

// ShowsYoung says whether an age on the page moves by the second.
func (w *whyView) ShowsYoung() bool {
	d := w.dressed()
	if d.Now.Sub(w.pod.Since()) < page.Young {
		return true
	}
	if d.Report != nil {
		if seen := d.Report.Observed.AttemptSeen; seen != nil && d.Now.Sub(seen.Time) < page.Young {
			return true
		}
	}
	return len(d.Events) > 0 && d.Now.Sub(d.Events[0].Last) < page.Young
}

// Copies is the page as Markdown, on a fix its command; and what the message row
// calls it.
func (w *whyView) Copies() (text, name string) {
	if w.draw.Report == nil {
		return "", ""
	}
	if f, ok := w.draw.ChosenFix(); ok && f.Command != "" {
		return fixes.Command(f, &w.app.observed)
	}
	report := w.draw.Report
	if w.tries.Value != nil {
		report = report.WithFixes(w.tries.Value)
	}
	return report.Markdown(), fmt.Sprintf("the explanation of %s as Markdown", model.Clean(w.pod.FullName()))
}
