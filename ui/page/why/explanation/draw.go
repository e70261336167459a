package explanation

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Line is one row of the body.
type Line struct {
	Text string
	At   Cursor // what selects it; its part is whyParts where nothing does
}

// plainLines are rows that cannot be selected.
func plainLines(texts ...string) []Line {
	lines := make([]Line, len(texts))
	for i, text := range texts {
		lines[i] = Line{text, Cursor{Part: Parts}}
	}
	return lines
}

// blankLines are n empty rows.
func blankLines(n int) []Line { return plainLines(make([]string, n)...) }

// body is the page cut to size.
type body struct {
	page    *Drawing
	content Content
	room    Room
}

// Lines draws the body, at most height rows.
func (p *Drawing) Lines() []Line {
	c := p.Content()
	r := c.Room(p.Height - TopRows)
	b := body{p, c, r}
	lines := plainLines("   "+p.account().about(), agreementRow(p))
	lines = append(lines, plainLines(c.rest[:r.rest]...)...)
	lines = append(lines, blankLines(r.afterTop)...)
	lines = append(lines, plainLines(cells.First(c.facts, r.facts, p.Width)...)...)
	lines = append(lines, blankLines(r.afterFacts)...)
	lines = append(lines, b.matrixLines()...)
	lines = append(lines, blankLines(r.beforeNodes)...)
	lines = append(lines, b.nodeLines()...)
	lines = append(lines, plainLines(cells.First(c.closest, r.closest, p.Width)...)...)
	lines = append(lines, b.fixLines()...)
	lines = append(lines, blankLines(r.beforePreemption)...)
	lines = append(lines, plainLines(cells.First(c.preemption, r.preemption, p.Width)...)...)
	lines = append(lines, blankLines(r.beforeQuotes)...)
	lines = append(lines, b.quoteLines()...)
	lines = append(lines, blankLines(r.beforeEvents)...)
	lines = append(lines, b.eventLines()...)
	lines = lines[:min(len(lines), max(0, p.Height))]
	for i := range lines {
		lines[i].Text = b.finish(i, lines[i])
	}
	return lines
}

// finish cuts a row to the page, and shows what is old or selected.
func (b body) finish(i int, line Line) string {
	p := b.page
	text := cells.Cut(line.Text, p.Width)
	switch {
	case line.At == p.Cursor:
		return table.SelectedRow(p.Styles, text, p.Width)
	case p.old() && i != TopRows-1:
		return p.Styles.Dim.Render(ansi.Strip(text))
	}
	return text
}

// matrixLines draws the groups that are in view, and the rows below them.
func (b body) matrixLines() []Line {
	p, c, r := b.page, b.content, b.room
	if r.head == 0 {
		return nil
	}
	lines := plainLines(c.matrix.head())
	from, to := p.Window(PartGroups, c.groups, r.groups)
	for i := from; i < to; i++ {
		words := b.words(&p.Table.Rows[i], p.Width-c.matrix.wordsAt())
		lines = append(lines, Line{c.matrix.row(&p.Table.Rows[i], words), Cursor{PartGroups, i}})
	}
	if to < c.groups && to-from < r.groups {
		lines = append(lines, plainLines(c.matrix.rest(to))...)
	}
	if r.counts > 0 {
		lines = append(lines, plainLines(c.matrix.rejects(), c.matrix.only())...)
	}
	return lines
}

// words are the longest words of a group that have room.
func (b body) words(g *report.Group, room int) string {
	words := b.page.Brief(report.ShortLabels(g.Words))
	if len(g.Rejections) != 1 {
		return cells.CutNames(words, room)
	}
	for _, wider := range g.Rejections[0].Wider {
		if wider = b.page.Brief(report.ShortLabels(wider)); cells.Width(wider) <= room && cells.Width(wider) > cells.Width(words) {
			words = wider
		}
	}
	return cells.CutNames(words, room)
}

// nodeLines draws the table of the selected group's nodes.
func (b body) nodeLines() []Line {
	p, c, r := b.page, b.content, b.room
	g, ok := p.Group()
	if !ok || r.nodes == 0 {
		return nil
	}
	from, to := p.Window(PartNodes, c.nodes, r.nodes-1)
	t := p.nodesOf(g).nodeTable(from, to-from)
	lines := plainLines(p.Styles.Head.Render(t.head))
	for i, row := range t.rows {
		lines = append(lines, Line{"   " + row, Cursor{PartNodes, from + i}})
	}
	return lines
}

// quoteLines draws the messages of the servers.
func (b body) quoteLines() []Line {
	p, c, r := b.page, b.content, b.room
	var lines []Line
	for _, q := range c.quotes {
		lines = append(lines, plainLines(" "+p.Styles.Head.Render(q.heading))...)
		lines = append(lines, plainLines(q.lines...)...)
	}
	if r.quotes < len(lines) {
		lines = lines[:r.quotes]
		if len(lines) > 0 {
			last := &lines[len(lines)-1]
			last.Text = cells.Cut(last.Text+" …", p.Width-1)
		}
	}
	return lines
}

// eventLines draws the pod's events, the newest first.
func (b body) eventLines() []Line {
	p, r := b.page, b.room
	if r.events == 0 {
		return nil
	}
	lines := plainLines(" " + p.Styles.Head.Render("EVENTS (newest first)"))
	from, to := p.Window(partEvents, len(p.Events), r.events-1)
	for i := from; i < to; i++ {
		lines = append(lines, Line{"   " + eventText(p.Events[i], p.Now), Cursor{partEvents, i}})
	}
	return lines
}

// eventText is one event in one line.
func eventText(e model.Event, now time.Time) string {
	text := model.FormatAge(e.Last, now) + " ago " + e.Reason
	if e.Count > 1 {
		text += " " + figures.Count(int(e.Count), "time", "times")
	}
	if e.Source != "" {
		text += ", " + e.Source
	}
	return model.Clean(text + ": " + e.Message)
}

// Rows is how many rows a part has, in view or not; none where it has no room.
func (p *Drawing) Rows(part Part, r Room) int {
	switch {
	case r.Of(part) <= 0:
		return 0
	case part == PartGroups:
		return len(p.Table.Rows)
	case part == PartNodes:
		if g, ok := p.Group(); ok && p.wide() && !g.OverAll() {
			return len(g.Nodes)
		}
		return 0
	case part == PartFixes:
		return p.fixRows()
	}
	return len(p.Events)
}

// GroupName is how a group goes in the header of its page.
func GroupName(g *report.Group) string {
	names := g.Plugins()
	switch {
	case len(names) == 0 && g.Fits == nil:
		return "not evaluated"
	case len(names) == 0:
		return "fits"
	case len(names) == 1:
		return "only " + names[0]
	}
	return strings.Join(names, ", ")
}

// symbolOf is what stands before the answer. A pod that a queue holds is no failure.
func symbolOf(r *report.Report) string {
	if r.State == "queued" {
		return ""
	}
	switch r.Verdict {
	case report.Unschedulable, report.NotCreated:
		return "✗ "
	case report.Schedulable:
		return "✓ "
	case report.Unknown:
		return "? "
	}
	return ""
}

// ChosenText is the text of the selected row, and the room that it has.
func (p *Drawing) ChosenText() (text string, room int) {
	g, ok := p.Group()
	switch {
	case p.Cursor.Part == PartGroups && ok:
		m := newMatrix(p.Table, p.Width, p.Styles)
		return p.Brief(g.Words), p.Width - m.wordsAt()
	case p.Cursor.Part == PartNodes && ok && !g.Rejects(figures.FitPlugin) && p.Cursor.Row < len(g.Nodes):
		text := p.nodesOf(g).sentencesOn(g.Nodes[p.Cursor.Row])
		return text, p.Width - table.Gutter - p.nodesOf(g).widest() - 2
	case p.Cursor.Part == PartFixes && p.Cursor.Row < p.fixRows():
		return p.fixTable().CutText(&p.Fixes.Tried[p.Cursor.Row])
	case p.Cursor.Part == partEvents && p.Cursor.Row < len(p.Events):
		e := p.Events[p.Cursor.Row]
		return model.Clean(e.Message), p.Width - table.Gutter - cells.Width(eventText(e, p.Now)) + cells.Width(model.Clean(e.Message))
	}
	return "", 0
}

// Openable is the group that enter opens, or whose node.
func (p *Drawing) Openable() (*report.Group, bool) {
	if p.Report == nil || p.Cursor.Part == partEvents || p.Cursor.Part == PartFixes {
		return nil, false
	}
	return p.Group()
}
