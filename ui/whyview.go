package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// crumbs are the list that one came from, and the pod.
func (w *whyView) crumbs() []string {
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

// answer is the verdict in one sentence.
func (w *whyView) answer(int) string {
	r := w.draw.Report
	switch {
	case w.trouble != nil:
		return "No answer: " + model.Clean(w.trouble.Error())
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
	if len(w.app.observed.snapshot.Status.Reading) > 0 {
		return w.app.contexts.readingWords()
	}
	return "Explaining " + model.Clean(w.pod.FullName()) + "."
}

// dressed is the page as it is drawn now.
func (w *whyView) dressed() *why.Page {
	d := &w.draw
	d.Now, d.Styles = w.app.observed.asOf(), w.app.styles()
	d.Width, d.Height = w.width, w.height
	d.Fixes, d.Unfixed = w.tries.fixes, w.tries.trouble
	d.Snapshot, d.Pod, d.Domain = w.app.observed.snapshot, w.pod, w.app.observed.domain
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

func (w *whyView) body() []string {
	lines := w.lines()
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = line.Text
	}
	return drawn
}

// note is the selected row's text if it was cut, else the answer if that was.
func (w *whyView) note() string {
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

// selected is the pod; on a row of a node it is that node.
func (w *whyView) selected() selection {
	if w.draw.Cursor.Part == why.PartNodes && w.draw.Report != nil {
		if g, ok := w.draw.Group(); ok && w.draw.Cursor.Row < len(g.Nodes) {
			name := g.Nodes[w.draw.Cursor.Row]
			node, _ := w.app.observed.snapshot.Node(name)
			return selection{ref: model.Ref{Resource: "nodes", Name: name}, node: node, copy: name}
		}
	}
	return selection{ref: w.ref(), pod: w.pod, copy: w.pod.FullName()}
}

func (w *whyView) places() keymap.Place {
	if w.selected().ref.Resource == "nodes" {
		return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnGroup | keymap.OnPod | keymap.PodFacts
}

func (w *whyView) footer() []footKey {
	open := "open"
	if w.draw.Cursor.Part == why.PartNodes {
		return append([]footKey{{do: keymap.Open, word: "pods"}}, keys(keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Trace, keymap.Words, keymap.More, keymap.Close)...)
	}
	return append([]footKey{{do: keymap.Open, word: open}}, keys(keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Words, keymap.Describe, keymap.YAML, keymap.Copy, keymap.More, keymap.Close)...)
}

// off tells why a key can do nothing here.
func (w *whyView) off(do keymap.Action) string {
	switch do {
	case keymap.GoNode:
		return w.app.opener.offPod(do, w.draw.Gone, w.selected())
	case keymap.Fixes, keymap.Preempt:
		return w.app.opener.offPod(do, w.draw.Gone, podSelection(w.pod))
	case keymap.Open:
		if _, ok := w.draw.Openable(); !ok && w.draw.Cursor.Part != why.PartFixes {
			return "there are no nodes behind this row."
		}
	case keymap.Explain:
		if w.selected().ref.Resource != "nodes" {
			return "this page says why."
		}
	case keymap.Words, keymap.Copy:
		if w.draw.Report == nil {
			return "there is no answer yet."
		}
	case keymap.Trace:
		if !w.pod.Exists() {
			return "no pod of " + w.pod.FullName() + " was created."
		}
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide:
		return "this page is no list."
	}
	return ""
}

// showsUsage says that the figures behind a shortage tell what is used.
func (w *whyView) showsUsage() bool { return w.draw.Report != nil && w.draw.AboutNodes() }

// showsYoung says whether an age on the page moves by the second.
func (w *whyView) showsYoung() bool {
	d := w.dressed()
	if d.Now.Sub(w.pod.Since()) < young {
		return true
	}
	if d.Report != nil {
		if seen := d.Report.Observed.AttemptSeen; seen != nil && d.Now.Sub(seen.Time) < young {
			return true
		}
	}
	return len(d.Events) > 0 && d.Now.Sub(d.Events[0].Last) < young
}

// copies is the page as Markdown, on a fix its command; and what the message row
// calls it.
func (w *whyView) copies() (text, name string) {
	if w.draw.Report == nil {
		return "", ""
	}
	if f, ok := w.draw.ChosenFix(); ok && f.Command != "" {
		return commandOf(f, w.app)
	}
	report := w.draw.Report
	if w.tries.fixes != nil {
		report = report.WithFixes(w.tries.fixes)
	}
	return report.Markdown(), fmt.Sprintf("why %s waits, as Markdown", model.Clean(w.pod.FullName()))
}
