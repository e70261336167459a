package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// whyLine is one row of the body.
type whyLine struct {
	text string
	at   whyCursor // what selects it; its part is whyParts where nothing does
}

// plainLines are rows that cannot be selected.
func plainLines(texts ...string) []whyLine {
	lines := make([]whyLine, len(texts))
	for i, text := range texts {
		lines[i] = whyLine{text, whyCursor{part: whyParts}}
	}
	return lines
}

// blankLines are n empty rows.
func blankLines(n int) []whyLine { return plainLines(make([]string, n)...) }

// lines draws the body, at most height rows.
func (p *whyPage) lines() []whyLine {
	c := p.content()
	r := c.room(p.height - whyTopRows)
	lines := plainLines("   "+p.about(), p.agreement())
	lines = append(lines, blankLines(r.afterTop)...)
	lines = append(lines, plainLines(cells.First(c.facts, r.facts, p.width)...)...)
	lines = append(lines, blankLines(r.afterFacts)...)
	lines = append(lines, p.matrixLines(c, r)...)
	lines = append(lines, blankLines(r.beforeDetails)...)
	lines = append(lines, p.detailLines(c, r)...)
	lines = append(lines, blankLines(r.beforeFixes)...)
	lines = append(lines, p.fixLines(c, r)...)
	lines = append(lines, blankLines(r.beforePreemption)...)
	lines = append(lines, plainLines(cells.First(c.preemption, r.preemption, p.width)...)...)
	lines = append(lines, blankLines(r.beforeQuotes)...)
	lines = append(lines, p.quoteLines(c, r)...)
	lines = append(lines, blankLines(r.beforeEvents)...)
	lines = append(lines, p.eventLines(r)...)
	lines = lines[:min(len(lines), max(0, p.height))]
	for i := range lines {
		lines[i].text = p.finish(i, lines[i])
	}
	return lines
}

// finish cuts a row to the page, and shows what is old or selected.
func (p *whyPage) finish(i int, line whyLine) string {
	text := cells.Cut(line.text, p.width)
	switch {
	case line.at == p.cursor:
		return selectedRow(p.styles, text, p.width)
	case p.old() && i != whyTopRows-1:
		return p.styles.Dim.Render(ansi.Strip(text))
	}
	return text
}

// selectedRow is a row with the cursor in its gutter.
func selectedRow(s *themes.Styles, text string, width int) string {
	return s.Selected.Render("▸" + cells.Left(strings.TrimPrefix(ansi.Strip(text), " "), width-1))
}

// matrixLines draws the groups that are in view, and the rows below them.
func (p *whyPage) matrixLines(c whyContent, r whyRoom) []whyLine {
	if r.head == 0 {
		return nil
	}
	lines := plainLines(c.matrix.head())
	from, to := p.window(partGroups, c.groups, r.groups)
	for i := from; i < to; i++ {
		words := p.words(p.groups[i], p.width-c.matrix.wordsAt())
		lines = append(lines, whyLine{c.matrix.row(p.groups[i], words), whyCursor{partGroups, i}})
	}
	if to < c.groups && to-from < r.groups {
		lines = append(lines, plainLines(c.matrix.rest(to))...)
	}
	if r.counts > 0 {
		lines = append(lines, plainLines(c.matrix.refuse(), c.matrix.alone())...)
	}
	return lines
}

// words are the longest words of a group that have room.
func (p *whyPage) words(g whyGroup, room int) string {
	words := p.brief(g.words)
	if len(g.refusals) != 1 {
		return words
	}
	for _, wider := range g.refusals[0].Wider {
		if wider = p.brief(wider); cells.Width(wider) <= room && cells.Width(wider) > cells.Width(words) {
			words = wider
		}
	}
	return words
}

// detailLines draws what is known of the selected group's nodes.
func (p *whyPage) detailLines(c whyContent, r whyRoom) []whyLine {
	g, ok := p.group()
	if !ok || r.details == 0 {
		return nil
	}
	if c.nodes == 0 {
		return plainLines(cells.First(c.details, r.details, p.width)...)
	}
	from, to := p.window(partNodes, c.nodes, r.details-1)
	t := p.nodeTable(g, from, to-from)
	lines := plainLines(p.styles.Head.Render(t.head))
	for i, row := range t.rows {
		lines = append(lines, whyLine{"   " + row, whyCursor{partNodes, from + i}})
	}
	return lines
}

// quoteLines draws the words of the servers.
func (p *whyPage) quoteLines(c whyContent, r whyRoom) []whyLine {
	var lines []whyLine
	for _, q := range c.quotes {
		lines = append(lines, plainLines(" "+p.styles.Head.Render(q.heading))...)
		lines = append(lines, plainLines(q.lines...)...)
	}
	if r.quotes < len(lines) {
		lines = lines[:r.quotes]
		if len(lines) > 0 {
			last := &lines[len(lines)-1]
			last.text = cells.Cut(last.text+" …", p.width-1)
		}
	}
	return lines
}

// eventLines draws the pod's events, the newest first.
func (p *whyPage) eventLines(r whyRoom) []whyLine {
	if r.events == 0 {
		return nil
	}
	lines := plainLines(" " + p.styles.Head.Render("EVENTS, NEWEST FIRST"))
	from, to := p.window(partEvents, len(p.events), r.events-1)
	for i := from; i < to; i++ {
		lines = append(lines, whyLine{"   " + p.eventText(p.events[i]), whyCursor{partEvents, i}})
	}
	return lines
}

// eventText is one event in one line.
func (p *whyPage) eventText(e model.Event) string {
	text := p.age(e.Last) + " ago " + e.Reason
	if e.Count > 1 {
		text += " " + count(int(e.Count), "time", "times")
	}
	if e.Source != "" {
		text += ", " + e.Source
	}
	return model.Clean(text + ": " + e.Message)
}
