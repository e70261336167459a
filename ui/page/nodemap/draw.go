package nodemap

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// legendLines are the lines under the map.
const legendLines = 1

// Answer implements page.View.
func (p *Page) Answer(width int) string {
	o := p.Host.Observed()
	switch {
	case o.IsReading() && len(o.Snapshot.Nodes) == 0:
		return p.Host.ReadingWords()
	case o.NotRead("nodes") != "":
		return "Nodes are unknown: " + o.NotRead("nodes") + "."
	case p.keeps.text == "":
		return fitting("", p.summary.answer, width)
	case p.keeps.last == nil:
		return "Filtering nodes by /" + model.Clean(p.keeps.text) + "."
	}
	filter := "/" + model.Clean(p.keeps.text)
	if note := p.keeps.last.Note(); note != "" {
		filter += " (" + model.Clean(note) + ")"
	}
	if len(p.summary.nodes) == 0 {
		return "No node matches " + filter + "; " + figures.Count(len(p.source.All()), "node is", "nodes are") + " hidden."
	}
	return fitting(filter+" keeps ", p.summary.answer, width)
}

// fitting is the longest answer that fits, after some words; the shortest where none does.
func fitting(before string, answers []string, width int) string {
	for _, answer := range answers {
		if cells.Width(before+answer) <= width {
			return before + answer
		}
	}
	return before + strings.Join(answers[max(len(answers)-1, 0):], "")
}

// Body implements page.View.
func (p *Page) Body() []string {
	d := drawing{&p.grid, &p.summary, inks{styles: p.Host.Styles()}}
	drawn := make([]string, 0, max(p.Height, legendLines))
	for i, l := range p.grid.inView() {
		drawn = append(drawn, d.head(i, l)+d.cells(l))
	}
	for len(drawn) < p.Height-legendLines {
		drawn = append(drawn, "")
	}
	return append(drawn, d.legend(p.measure().scale(), p.Width))
}

// drawing is a map while it is drawn.
type drawing struct {
	grid    *grid
	summary *summary
	inks    inks
}

// head is what stands before the cells of a line, the nth in view: the heads of the row
// where it begins, and on top of the screen.
func (d *drawing) head(nth int, l line) string {
	g, s := d.grid, d.inks.styles
	cursor := " "
	if g.at >= l.from && g.at < l.to && len(g.nodes) > 0 {
		cursor = "▸"
	}
	var plain strings.Builder
	changed := nth == 0
	for k, head := range g.rows[l.row].heads {
		changed = changed || l.row == 0 || g.rows[l.row-1].heads[k] != head
		if nth > 0 && (!changed || l.from != g.rows[l.row].from) {
			head = ""
		}
		plain.WriteString(cells.Left(cells.CutMiddle(head, g.widths[k]), g.widths[k]+between))
	}
	return s.Cursor.Render(cursor) + s.Text.Render(plain.String())
}

// goneSign is the cell of a selected node that no longer exists.
const goneSign = "✗"

// cells draws the cells of a line: neighbours with the same tone together.
func (d *drawing) cells(l line) string {
	var drawn strings.Builder
	of := tone.Tone(-1)
	end := ""
	for i := l.from; i < l.to; i++ {
		c := d.summary.cells[i]
		if i == d.grid.at {
			drawn.WriteString(end + d.inks.styles.Selected.Render(c.sign))
			of, end = -1, ""
			continue
		}
		if c.tone != of {
			begin, after := d.inks.of(c.tone)
			drawn.WriteString(end + begin)
			of, end = c.tone, after
		}
		drawn.WriteString(c.sign)
	}
	return drawn.String() + end
}

// inks are what begins and ends a text of each tone. A style that draws thousands of cells
// by itself would take most of the time of a frame.
type inks struct {
	styles *themes.Styles
	known  [tone.Changed + 1][2]string
}

func (i *inks) of(t tone.Tone) (begin, end string) {
	const any = "x"
	if i.known[t] == [2]string{} {
		i.known[t][0], i.known[t][1], _ = strings.Cut(t.Style(i.styles).Render(any), any)
	}
	return i.known[t][0], i.known[t][1]
}

// legend is the line under the map: what the signs mean, and how many lines are hidden.
func (d *drawing) legend(levels []entry, width int) string {
	if len(d.grid.nodes) == 0 {
		return ""
	}
	s := d.inks.styles
	var scale, all []string
	for _, e := range levels {
		scale = append(scale, e.tone.Style(s).Render(e.sign)+s.Dim.Render(" "+e.means))
	}
	if len(scale) > 0 {
		all = append(all, strings.Join(scale, " "))
	}
	for _, t := range d.summary.found {
		all = append(all, t.tone.Style(s).Render(t.sign)+s.Dim.Render(" "+model.Clean(t.means)))
	}
	if isTainted := func(t tally) bool { return t.sign == taintedSign }; d.grid.tainted && !slices.ContainsFunc(d.summary.found, isTainted) {
		all = append(all, s.Text.Render(taintedSign)+s.Dim.Render(" tainted pool"))
	}
	between := " · "
	if slices.ContainsFunc(d.summary.found, func(t tally) bool { return t.sign == readySign }) {
		between = ", " // it would read as one more sign
	}
	words, hidden := " "+strings.Join(all, s.Dim.Render(between)), d.grid.hidden()
	if lead := s.Dim.Render(" one cell a node:"); cells.Width(lead+words)+cells.Width(hidden)+margin < width {
		words = lead + words
	}
	if hidden == "" {
		return cells.Cut(words, width)
	}
	return cells.Spread(words, s.Dim.Render(hidden), width-margin)
}

// hidden is how many lines there are, where not all are in view: "18 of 84 ↓".
func (g *grid) hidden() string {
	last := g.top + len(g.inView())
	switch {
	case len(g.lines) <= g.height:
		return ""
	case last == len(g.lines):
		return model.FormatCount(last) + " of " + model.FormatCount(len(g.lines)) + " ↑"
	}
	return model.FormatCount(last) + " of " + model.FormatCount(len(g.lines)) + " ↓"
}
