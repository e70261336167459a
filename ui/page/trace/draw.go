package trace

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
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/messages"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Crumbs are the list that one came from, the pod, and the page.
func (p *Page) Crumbs() []string {
	list := "pending"
	if !p.Pod.Waits {
		list = "pods"
	}
	return []string{list, page.PodName(p.Host, p.Pod), "trace"}
}

// Answer is the stages with the one that is shown in brackets; of a pod that has
// a node, why it is there.
func (p *Page) Answer(width int) string {
	switch {
	case p.Poll.Trouble != nil:
		return "Not available: " + model.Clean(p.Poll.Trouble.Error())
	case p.report == nil && p.Gone:
		return page.Deleted(p.Host.Observed(), p.Pod, "")
	case p.report == nil && p.Host.Observed().IsReading():
		return p.Host.ReadingWords()
	case p.report == nil:
		return "Explaining " + model.Clean(p.Pod.FullName()) + "."
	case p.Gone:
		return page.Deleted(p.Host.Observed(), p.Pod, p.Host.Observed().Brief(p.report.Summary))
	case p.report.Cycle.Running != "":
		return p.Host.Observed().Brief(p.report.Cycle.Where)
	}
	return stages(p.report.Cycle, p.stage, width)
}

// stages are all of them in a line of width cells. Where they do not fit those
// that are farthest from the shown one are left out.
func stages(cycle *report.SchedulingCycle, shown string, width int) string {
	var titles []string
	at := 0
	for i := range cycle.Stages {
		stage := &cycle.Stages[i]
		title := stage.Title()
		if stage.Name == shown {
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
func (p *Page) top() []string {
	stage, ok := p.shown()
	if !ok {
		return nil
	}
	s := p.Host.Styles()
	words := s.Text.Render(cells.Cut(cells.Blank(table.Gutter)+p.Host.Observed().Brief(stage.Words), p.Width))
	if p.Poll.Slow {
		words = s.Dim.Render(cells.Blank(table.Gutter) + "explaining")
	}
	if p.report.Cycle.Running == "" {
		return []string{words}
	}
	return []string{s.Text.Render(cells.Cut(" "+stages(p.report.Cycle, p.stage, p.Width-1), p.Width)), words}
}

// lay gives the table the rows that it needs, or all but those of the details.
func (p *Page) lay() {
	room := p.Height - len(p.top()) - 1
	p.Table.Resize(p.Width, max(min(1+len(p.Table.Rows), room), 2))
}

// Resize lays the page out anew; how many scores have a column depends on it.
func (p *Page) Resize(width, height int) {
	p.Base.Resize(width, height)
	p.fill()
}

// Body implements page.View.
func (p *Page) Body() []string {
	lines := p.top()
	if p.report == nil {
		return nil
	}
	if len(p.Table.Rows) > 0 {
		lines = append(lines, p.Table.Draw(p.Host.Styles())...)
		lines = append(lines, p.details(p.Height-len(lines))...)
	}
	if p.Poll.Slow || p.Gone {
		for i, line := range lines {
			lines[i] = p.Host.Styles().Dim.Render(ansi.Strip(line))
		}
	}
	return lines
}

// tallBody is the body's height from which details take more than a line.
const tallBody = 24

// details explain the selected row: as drawn in a line, where there is more room
// in as many as they need.
func (p *Page) details(room int) []string {
	row, ok := p.Table.Selected()
	if !ok || room < 1 {
		return nil
	}
	var texts []string
	if row.node != nil {
		texts = scoreDetails(p.report.Cycle, row.node)
	} else if row.step.Detail != "" && row.more == 0 {
		texts = []string{row.step.Detail}
	}
	var lines []string
	for _, text := range texts {
		text = p.Host.Observed().Brief(text)
		if row.node == nil && p.Height < tallBody {
			lines = append(lines, " "+cells.Cut(text, p.Width-2))
			continue
		}
		lines = append(lines, cells.Indent(1, cells.Wrap(text, p.Width-2))...)
	}
	return cells.First(lines, room, p.Width)
}

// scoreDetails are the parts of a node's total, and the plugins that do not score.
func scoreDetails(cycle *report.SchedulingCycle, node *report.RankedNode) []string {
	var given, skipped []string
	named := map[string]bool{} // a plugin that skips has a step in PreScore and one in Score
	for _, s := range node.Scores {
		given = append(given, s.Plugin+" "+s.Product())
	}
	for _, step := range cycle.Stage(report.StageScore).Steps {
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

// Note is the selected row's cut text, else what the page is and is not.
func (p *Page) Note() string {
	if p.report == nil {
		return ""
	}
	if cut := p.Table.CutNote(p.Width); cut != "" {
		return cut
	}
	switch {
	case p.report.Cycle.Running != "":
		return "The cluster may have been different when the pod was scheduled."
	case p.report.Cycle.Where != "":
		return p.Host.Observed().Brief(p.report.Cycle.Where)
	}
	return "Simulated now, not the last attempt. The Why page lists all reasons."
}

// Selected is the pod; on a row of a node it is that node.
func (p *Page) Selected() page.Selection {
	if row, ok := p.Table.Selected(); ok && row.node != nil {
		node, _ := p.Host.Observed().Snapshot.Node(row.node.Node)
		return page.Selection{Ref: model.Ref{Resource: "nodes", Name: row.node.Node}, Node: node, Copy: row.node.Node}
	}
	return page.SelectPod(p.Pod)
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	if p.Selected().Ref.Resource == "nodes" {
		return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnGroup | keymap.OnPod | keymap.PodFacts
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	open := page.Key{Do: keymap.Open, Word: "nodes"}
	if p.Selected().Ref.Resource == "nodes" {
		open.Word = "pods"
	}
	return append([]page.Key{{Do: keymap.NextPart, Word: "next stage"}, open}, page.Keys(keymap.Words, keymap.Describe, keymap.Copy, keymap.Close)...)
}

// Off tells why a key can do nothing here.
func (p *Page) Off(do keymap.Action) string {
	on := p.Selected()
	if page.AboutPod(do) && do != keymap.Trace && do != keymap.Words {
		return page.OffPod(p.Host.Observed(), do, p.Gone, page.SelectPod(p.Pod))
	}
	switch do {
	case keymap.Open:
		return p.offOpen(on)
	case keymap.Explain:
		if on.Ref.Resource == "nodes" && on.Node == nil {
			return page.AbsentNode(p.Host.Observed(), nil, on.Ref.Name)
		}
	case keymap.GoNode:
		return page.OffPod(p.Host.Observed(), do, p.Gone, page.SelectPod(p.Pod))
	case keymap.Trace:
		return "this page is the trace."
	case keymap.Words, keymap.Copy, keymap.NextPart, keymap.PrevPart:
		if p.report == nil {
			return "the scheduling cycle is still being simulated."
		}
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide:
		return "not available on this page."
	}
	return ""
}

// offOpen tells why the row does not open.
func (p *Page) offOpen(on page.Selection) string {
	row, ok := p.Table.Selected()
	switch {
	case !ok || (row.node == nil && len(row.step.Nodes) == 0):
		return "this row has no nodes."
	case row.node != nil && on.Node == nil:
		return page.AbsentNode(p.Host.Observed(), nil, row.node.Node)
	}
	return ""
}

// Act does what a key asks for.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	switch do {
	case keymap.NextPart:
		p.turn(1)
	case keymap.PrevPart:
		p.turn(-1)
	case keymap.Open:
		row, _ := p.Table.Selected()
		if row.node != nil {
			return p.Host.OpenPods(row.node.Node)
		}
		return p.Host.OpenNodes(slices.Concat(p.Crumbs()[:2], []string{row.step.Plugin}), rejectedBy(p.Host.Observed(), row.step), row.step.Nodes)
	case keymap.Explain:
		if on := p.Selected(); on.Node != nil {
			return p.Host.ActOn(do, on)
		}
		return p.Host.ActOn(do, page.SelectPod(p.Pod))
	case keymap.Words:
		return p.Host.Open(messages.New(p.Host, p.Pod, p.report))
	default:
		switch {
		case p.Table.Act(do):
		case page.AboutPod(do):
			return p.Host.ActOn(do, page.SelectPod(p.Pod))
		default:
			return p.Host.ActOn(do, p.Selected())
		}
	}
	return nil
}

// rejectedBy says what the nodes of a step have in common.
func rejectedBy(o *page.Observed, step report.Step) string {
	return fmt.Sprintf("%s by %s: %s.", figures.Count(len(step.Nodes), "node is rejected", "nodes are rejected"), step.Plugin, o.Brief(step.What))
}

// onClick selects a row, or opens the selected one.
func (p *Page) onClick(y int) tea.Cmd {
	row := p.Table.Top + y - len(p.top()) - 1
	switch {
	case y <= len(p.top()) || row >= len(p.Table.Rows) || row-p.Table.Top >= p.Table.Lines():
		return nil
	case row == p.Table.Chosen:
		return p.Host.Press(keymap.Open, p)
	}
	p.Table.Move(row - p.Table.Chosen)
	return nil
}

// Copies is the page as Markdown, and what the message row calls it.
func (p *Page) Copies() (text, name string) {
	if p.report == nil {
		return "", ""
	}
	return p.report.Markdown(), fmt.Sprintf("the scheduling cycle of %s as Markdown", model.Clean(p.Pod.FullName()))
}
