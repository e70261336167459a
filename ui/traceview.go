package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// crumbs are the list that one came from, the pod, and the page.
func (p *trace) crumbs() []string {
	list := "pending"
	if !p.pod.Waits {
		list = "pods"
	}
	return []string{list, p.app.opener.podName(p.pod).Text, "trace"}
}

// answer is the stages with the one that is shown in brackets; of a pod that has
// a node, why it is there.
func (p *trace) answer(width int) string {
	switch {
	case p.trouble != nil:
		return "No answer: " + model.Clean(p.trouble.Error())
	case p.report == nil && p.gone:
		return "Gone."
	case p.report == nil && p.app.observed.isReading():
		return p.app.contexts.readingWords()
	case p.report == nil:
		return "Explaining " + model.Clean(p.pod.FullName()) + "."
	case p.gone:
		return "Gone. It was: " + p.app.observed.brief(p.report.Summary)
	case p.report.Cycle.Running != "":
		return p.app.observed.brief(p.report.Cycle.Where)
	}
	return p.stages(width)
}

// stages are all of them in a line of width cells. Where they do not fit those
// that are farthest from the shown one are left out.
func (p *trace) stages(width int) string {
	var titles []string
	at := 0
	for i := range p.report.Cycle.Stages {
		stage := &p.report.Cycle.Stages[i]
		title := stage.Title()
		if stage.Name == p.stage {
			at, title = i, "["+title+"]"
		}
		titles = append(titles, title)
	}
	for gap := 3; gap > 0; gap-- {
		if line := strings.Join(titles, cells.Blank(gap)); cells.Width(line) <= width {
			return line
		}
	}
	before, after := "", ""
	for len(titles) > 1 {
		if at > len(titles)/2 {
			titles, at, before = titles[1:], at-1, "… "
		} else {
			titles, after = titles[:len(titles)-1], " …"
		}
		if line := before + strings.Join(titles, " ") + after; cells.Width(line) <= width {
			return line
		}
	}
	return titles[0]
}

// top are the rows above the table.
func (p *trace) top() []string {
	stage, ok := p.shown()
	if !ok {
		return nil
	}
	s := p.app.styles()
	words := s.Text.Render(cells.Cut(cells.Blank(table.Gutter)+p.app.observed.brief(stage.Words), p.width))
	if p.explaining {
		words = s.Dim.Render(cells.Blank(table.Gutter) + "explaining")
	}
	if p.report.Cycle.Running == "" {
		return []string{words}
	}
	return []string{s.Text.Render(cells.Cut(" "+p.stages(p.width-1), p.width)), words}
}

// lay gives the table the rows that it needs, or all but those of the details.
func (p *trace) lay() {
	room := p.height - len(p.top()) - 1
	p.table.Resize(p.width, max(min(1+len(p.table.Rows), room), 2))
}

// resize lays the page out anew; how many scores have a column depends on it.
func (p *trace) resize(width, height int) {
	p.page.resize(width, height)
	p.fill()
}

func (p *trace) body() []string {
	lines := p.top()
	if p.report == nil {
		return nil
	}
	if len(p.table.Rows) > 0 {
		lines = append(lines, p.table.Draw(p.app.styles())...)
		lines = append(lines, p.details(p.height-len(lines))...)
	}
	if p.explaining || p.gone {
		for i, line := range lines {
			lines[i] = p.app.styles().Dim.Render(ansi.Strip(line))
		}
	}
	return lines
}

// tallBody is the body's height from which details take more than a line.
const tallBody = 24

// details explain the selected row: as drawn in a line, where there is more room
// in as many as they need.
func (p *trace) details(room int) []string {
	row, ok := p.table.Selected()
	if !ok || room < 1 {
		return nil
	}
	var texts []string
	if row.node != nil {
		texts = p.scoreDetails(row.node)
	} else if row.step.Detail != "" && row.more == 0 {
		texts = []string{row.step.Detail}
	}
	var lines []string
	for _, text := range texts {
		text = p.app.observed.brief(text)
		if row.node == nil && p.height < tallBody {
			lines = append(lines, " "+cells.Cut(text, p.width-2))
			continue
		}
		lines = append(lines, cells.Indent(1, cells.Wrap(text, p.width-2))...)
	}
	return cells.First(lines, room, p.width)
}

// scoreDetails spell a node's total, and name what has nothing to say.
func (p *trace) scoreDetails(node *report.RankedNode) []string {
	var given, skipped []string
	named := map[string]bool{} // a plugin that skips has a step in PreScore and one in Score
	for _, s := range node.Scores {
		given = append(given, s.Plugin+" "+s.Product())
	}
	for _, step := range p.report.Cycle.Stage(report.StageScore).Steps {
		if (step.Outcome == report.Skipped || step.Outcome == report.Open) && !named[step.Plugin] {
			named[step.Plugin] = true
			skipped = append(skipped, step.Plugin+" ("+strings.TrimPrefix(step.What, "skipped: ")+")")
		}
	}
	var lines []string
	if len(given) > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s.", node.Node, strings.Join(given, ", ")))
	}
	if len(skipped) > 0 {
		lines = append(lines, "Not scored by "+strings.Join(skipped, ", ")+".")
	}
	return lines
}

// note is the selected row's cut text, else what the page is and is not.
func (p *trace) note() string {
	if p.report == nil {
		return ""
	}
	if cut := p.table.CutNote(p.width); cut != "" {
		return cut
	}
	switch {
	case p.report.Cycle.Running != "":
		return "As of now, not of when it was scheduled: nodes and pods were others then."
	case p.report.Cycle.Where != "":
		return p.app.observed.brief(p.report.Cycle.Where)
	}
	return "As of now, not of its last attempt. Why shows every plugin on every node."
}

// selected is the pod; on a row of a node it is that node.
func (p *trace) selected() selection {
	if row, ok := p.table.Selected(); ok && row.node != nil {
		node, _ := p.app.observed.snapshot.Node(row.node.Node)
		return selection{ref: model.Ref{Resource: "nodes", Name: row.node.Node}, node: node, copy: row.node.Node}
	}
	return podSelection(p.pod)
}

func (p *trace) places() keymap.Place {
	if p.selected().ref.Resource == "nodes" {
		return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnGroup | keymap.OnPod | keymap.PodFacts
}

func (p *trace) footer() []footKey {
	open := footKey{do: keymap.Open, word: "nodes"}
	if p.selected().ref.Resource == "nodes" {
		open.word = "pods"
	}
	return append([]footKey{{do: keymap.NextPart, word: "next stage"}, open}, keys(keymap.Words, keymap.Describe, keymap.Copy, keymap.Close)...)
}

// off tells why a key can do nothing here.
func (p *trace) off(do keymap.Action) string {
	on := p.selected()
	if aboutPod(do) && do != keymap.Trace && do != keymap.Words {
		return p.app.opener.offPod(do, p.gone, podSelection(p.pod))
	}
	switch do {
	case keymap.Open:
		return p.offOpen(on)
	case keymap.Explain:
		if on.ref.Resource == "nodes" && on.node == nil {
			return "the node is gone."
		}
	case keymap.GoNode:
		return p.app.opener.offPod(do, p.gone, podSelection(p.pod))
	case keymap.Trace:
		return "this page is the trace."
	case keymap.Words, keymap.Copy, keymap.NextPart, keymap.PrevPart:
		if p.report == nil {
			return "there is no answer yet."
		}
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide:
		return "this page is no list."
	}
	return ""
}

// offOpen tells why the row does not open.
func (p *trace) offOpen(on selection) string {
	row, ok := p.table.Selected()
	switch {
	case !ok || (row.node == nil && len(row.step.Nodes) == 0):
		return "there are no nodes behind this row."
	case row.node != nil && on.node == nil:
		return row.node.Node + " is gone."
	}
	return ""
}

// act does what a key asks for.
func (p *trace) act(do keymap.Action) tea.Cmd {
	switch do {
	case keymap.NextPart:
		p.turn(1)
	case keymap.PrevPart:
		p.turn(-1)
	case keymap.Open:
		row, _ := p.table.Selected()
		if row.node != nil {
			return p.app.history.open(newPodsOf(p.app, row.node.Node))
		}
		return p.app.history.open(newNodesOf(p.app, slices.Concat(p.crumbs()[:2], []string{row.step.Plugin}), p.refusedBy(row.step), row.step.Nodes))
	case keymap.Explain:
		if on := p.selected(); on.node != nil {
			return p.app.opener.actOn(do, on)
		}
		return p.app.history.open(newWhy(p.app, p.pod))
	case keymap.Words:
		return p.app.history.open(newWords(p.app, p.pod, p.report))
	default:
		switch {
		case p.table.Act(do):
		case aboutPod(do):
			return p.app.opener.actOn(do, podSelection(p.pod))
		default:
			return p.app.opener.actOn(do, p.selected())
		}
	}
	return nil
}

// refusedBy says what the nodes of a step have in common.
func (p *trace) refusedBy(step report.Step) string {
	return fmt.Sprintf("%s at %s: %s.", figures.Count(len(step.Nodes), "node drops out", "nodes drop out"), step.Plugin, p.app.observed.brief(step.What))
}

// onClick selects a row, or opens the selected one.
func (p *trace) onClick(y int) tea.Cmd {
	row := p.table.Top + y - len(p.top()) - 1
	switch {
	case y <= len(p.top()) || row >= len(p.table.Rows) || row-p.table.Top >= p.table.Lines():
		return nil
	case row == p.table.Chosen:
		return p.app.keyboard.do(keymap.Of(keymap.Open, p.places()), p)
	}
	p.table.Move(row - p.table.Chosen)
	return nil
}

// copies is the page as Markdown, and what the message row calls it.
func (p *trace) copies() (text, name string) {
	if p.report == nil {
		return "", ""
	}
	return p.report.Markdown(), fmt.Sprintf("the scheduler's way for %s, as Markdown", model.Clean(p.pod.FullName()))
}
