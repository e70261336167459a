package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// crumbs are the list that one came from, and the pod.
func (w *why) crumbs() []string {
	view := "pending"
	if !w.pod.Waits {
		view = "pods"
	}
	return []string{view, w.title()}
}

// title is the pod's name with its namespace where the header does not say that.
func (w *why) title() string {
	if w.app.namespace() != "" {
		return w.pod.Name()
	}
	return w.pod.FullName()
}

// answer is the verdict in one sentence.
func (w *why) answer(int) string {
	r := w.draw.report
	switch {
	case w.trouble != nil:
		return "No answer: " + model.Clean(w.trouble.Error())
	case r == nil && w.draw.gone:
		return "Gone."
	case r == nil:
		return w.waiting()
	case w.draw.gone:
		return "Gone. It was: " + w.draw.brief(r.Summary)
	}
	return w.draw.verdict()
}

// waiting says what the first answer waits for.
func (w *why) waiting() string {
	if len(w.app.snapshot.Status.Reading) > 0 {
		return w.app.readingWords()
	}
	return "Explaining " + model.Clean(w.pod.FullName()) + "."
}

// dressed is the page as it is drawn now.
func (w *why) dressed() *whyPage {
	d := &w.draw
	d.now, d.styles = w.app.asOf(), w.app.styles()
	d.width, d.height = w.width, w.height
	d.fixes, d.unfixed = w.tries.fixes, w.tries.trouble
	d.snapshot, d.pod, d.domain = w.app.snapshot, w.pod, w.app.domain
	return d
}

// lines are the rows of the body, with what selects them.
func (w *why) lines() []whyLine {
	d := w.dressed()
	if d.report == nil {
		return nil
	}
	return d.lines()
}

func (w *why) body() []string {
	lines := w.lines()
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = line.text
	}
	return drawn
}

// note is the selected row's text if it was cut, else the answer if that was.
func (w *why) note() string {
	d := w.dressed()
	if d.report == nil {
		return ""
	}
	if text, room := d.chosenText(); cells.Width(text) > room {
		return text
	}
	if d.aboutNodes() && d.verdictCut() {
		return endOf(d.verdict(), d.width-1)
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

// chosenText is the text of the selected row, and the room that it has.
func (p *whyPage) chosenText() (text string, room int) {
	g, ok := p.group()
	switch {
	case p.cursor.part == partGroups && ok:
		m := newMatrix(p.report, p.groups, p.columns, p.width, p.styles)
		return p.brief(g.words), p.width - m.wordsAt()
	case p.cursor.part == partNodes && ok && !g.refuses(fitPlugin) && p.cursor.row < len(g.nodes):
		text := p.sentencesOn(g.nodes[p.cursor.row], g)
		return text, p.width - table.Gutter - p.widest(g.nodes) - 2
	case p.cursor.part == partFixes && p.cursor.row < p.fixRows():
		return p.fixTable().cutText(&p.fixes.Tried[p.cursor.row])
	case p.cursor.part == partEvents && p.cursor.row < len(p.events):
		e := p.events[p.cursor.row]
		return model.Clean(e.Message), p.width - table.Gutter - cells.Width(p.eventText(e)) + cells.Width(model.Clean(e.Message))
	}
	return "", 0
}

// selected is the pod; on a row of a node it is that node.
func (w *why) selected() selection {
	if w.draw.cursor.part == partNodes && w.draw.report != nil {
		if g, ok := w.draw.group(); ok && w.draw.cursor.row < len(g.nodes) {
			name := g.nodes[w.draw.cursor.row]
			node, _ := w.app.snapshot.Node(name)
			return selection{ref: model.Ref{Resource: "nodes", Name: name}, node: node, copy: name}
		}
	}
	return selection{ref: w.ref(), pod: w.pod, copy: w.pod.FullName()}
}

func (w *why) places() keymap.Place {
	if w.selected().ref.Resource == "nodes" {
		return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnGroup | keymap.OnPod | keymap.PodFacts
}

func (w *why) footer() []footKey {
	open := "open"
	if w.draw.cursor.part == partNodes {
		return append([]footKey{{do: keymap.Open, word: "pods"}}, keys(keymap.Explain, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Trace, keymap.Words, keymap.More, keymap.Close)...)
	}
	return append([]footKey{{do: keymap.Open, word: open}}, keys(keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Words, keymap.Describe, keymap.YAML, keymap.Copy, keymap.More, keymap.Close)...)
}

// off tells why a key can do nothing here.
func (w *why) off(do keymap.Action) string {
	switch do {
	case keymap.GoNode:
		return w.app.offPod(do, w.draw.gone, w.selected())
	case keymap.Fixes, keymap.Preempt:
		return w.app.offPod(do, w.draw.gone, podSelection(w.pod))
	case keymap.Open:
		if _, ok := w.draw.openable(); !ok && w.draw.cursor.part != partFixes {
			return "there are no nodes behind this row."
		}
	case keymap.Explain:
		if w.selected().ref.Resource != "nodes" {
			return "this page says why."
		}
	case keymap.Words, keymap.Copy:
		if w.draw.report == nil {
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

// openable is the group that enter opens, or whose node.
func (p *whyPage) openable() (whyGroup, bool) {
	if p.report == nil || p.cursor.part == partEvents || p.cursor.part == partFixes {
		return whyGroup{}, false
	}
	return p.group()
}

// showsUsage says that the figures behind a shortage tell what is used.
func (w *why) showsUsage() bool { return w.draw.report != nil && w.draw.aboutNodes() }

// showsYoung says whether an age on the page moves by the second.
func (w *why) showsYoung() bool {
	d := w.dressed()
	if d.now.Sub(w.pod.Since()) < young {
		return true
	}
	if d.report != nil {
		if seen := d.report.Observed.AttemptSeen; seen != nil && d.now.Sub(seen.Time) < young {
			return true
		}
	}
	return len(d.events) > 0 && d.now.Sub(d.events[0].Last) < young
}

// copies is the page as Markdown, on a fix its command; and what the message row
// calls it.
func (w *why) copies() (text, name string) {
	if w.draw.report == nil {
		return "", ""
	}
	if f, ok := w.draw.chosenFix(); ok && f.Command != "" {
		return commandOf(f, w.app)
	}
	report := w.draw.report
	if w.tries.fixes != nil {
		report = report.WithFixes(w.tries.fixes)
	}
	return report.Markdown(), fmt.Sprintf("why %s waits, as Markdown", model.Clean(w.pod.FullName()))
}
