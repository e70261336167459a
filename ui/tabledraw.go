package ui

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// grow widens columns to what is in view; none ever narrows.
func (t *table[R]) grow() {
	if t.width == 0 {
		return
	}
	for _, row := range t.inView() {
		for i := range t.columns {
			if c := &t.columns[i]; t.shows(c) {
				t.widths[i] = max(t.widths[i], c.atMost(cells.Width(model.Clean(c.text(row).text))))
			}
		}
	}
}

// shows says whether a column is drawn, if there is room.
func (t *table[R]) shows(c *column[R]) bool {
	few := !c.extra && c.from == 0
	return t.wide || c.from <= t.width && (few || !t.few)
}

// placed is one column as it is drawn: which, and how wide.
type placed struct{ column, width int }

// wanted are the columns to draw, at their widths, if there is room for all.
func (t *table[R]) wanted() []placed {
	var drawn []placed
	for i := range t.columns {
		if t.shows(&t.columns[i]) {
			drawn = append(drawn, placed{i, t.widths[i]})
		}
	}
	if t.wide && t.shift > 0 && len(drawn) > 1 {
		drawn = append(drawn[:1:1], drawn[1+min(t.shift, len(drawn)-2):]...)
	}
	return drawn
}

// layout says which columns are drawn and how wide. Those at the right drop
// first; the one that takes the rest gives way before them.
func (t *table[R]) layout() []placed {
	drawn := t.wanted()
	for {
		at, room := t.flexRoom(drawn)
		if at < 0 {
			return t.within(drawn)
		}
		flex := t.columns[drawn[at].column]
		if at == len(drawn)-1 && at > 0 && room < flex.least() {
			room += narrow(&drawn[0], flex.least()-room)
		}
		least := flex.least()
		switch {
		case len(drawn) == 1:
			least = room // there is nothing else
		case at == len(drawn)-1:
			least = min(least, leastCut)
		}
		if room >= least || t.wide {
			drawn[at].width = t.flexWidth(drawn, at, room)
			return drawn
		}
		drawn = drawn[:len(drawn)-1]
		drawn[0].width = t.widths[drawn[0].column]
	}
}

// within makes columns fit of which none takes the rest: the first gives way, then
// those at the right drop.
func (t *table[R]) within(drawn []placed) []placed {
	for !t.wide && len(drawn) > 0 {
		drawn[0].width = t.widths[drawn[0].column]
		over := gutter - t.width
		for i, p := range drawn {
			if over += p.width; i > 0 {
				over += t.columns[p.column].before()
			}
		}
		if over <= narrow(&drawn[0], over) || len(drawn) == 1 {
			break
		}
		drawn = drawn[:len(drawn)-1]
	}
	return drawn
}

// flexRoom is which of the columns drawn takes the rest, and how much that is.
func (t *table[R]) flexRoom(drawn []placed) (at, room int) {
	at, room = -1, t.width-gutter
	for i, p := range drawn {
		c := &t.columns[p.column]
		if i > 0 {
			room -= c.before()
		}
		if c.flex {
			at = i
			continue
		}
		room -= p.width
	}
	if at < len(drawn)-1 {
		room-- // a margin, where it is not the last that may be cut
	}
	return at, room
}

// leastCut is how few cells the last column may be cut to before it drops.
const leastCut = 6

// narrowest is how far names give way to what takes the rest.
const narrowest = 12

// narrow takes up to n cells from a column and reports how many.
func narrow(p *placed, n int) int {
	n = max(min(n, p.width-narrowest), 0)
	p.width -= n
	return n
}

// flexWidth is how wide the column that takes the rest is drawn: the first one
// takes what it needs, any other all there is.
func (t *table[R]) flexWidth(drawn []placed, at, room int) int {
	need := drawn[at].width
	switch {
	case t.wide && room < need:
		return need
	case at == 0:
		return max(min(need, room), 1)
	}
	return max(room, 1)
}

// cutColumns reports whether columns are cut off at the right.
func (t *table[R]) cutColumns() bool {
	if !t.wide {
		return false
	}
	sum := gutter
	for _, p := range t.layout() {
		sum += p.width + t.columns[p.column].before()
	}
	return sum-2 > t.width
}

// draw gives the head and the rows in view.
func (t *table[R]) draw(s *themes.Styles) []string {
	drawn := t.layout()
	lines := make([]string, 0, t.height)
	lines = append(lines, t.drawHead(s, drawn))
	for i, row := range t.inView() {
		lines = append(lines, t.drawRow(s, drawn, row, t.top+i == t.chosen && !t.blurred))
	}
	return lines
}

// drawHead gives the heads; while sorting is asked for, with the letters.
func (t *table[R]) drawHead(s *themes.Styles, drawn []placed) string {
	var row strings.Builder
	row.WriteString(cells.Blank(gutter))
	for i, p := range drawn {
		c := &t.columns[p.column]
		if i > 0 {
			row.WriteString(cells.Blank(c.before()))
		}
		filled := c.fill(c.head, p.width)
		letter := -1
		if t.letters {
			letter = strings.Index(filled, c.head) + t.letter(p.column)
		}
		style := s.Head
		if p.column == t.sorted {
			style = style.Underline(true)
		}
		if letter < 0 || letter >= len(filled) {
			row.WriteString(style.Render(filled))
			continue
		}
		row.WriteString(style.Render(filled[:letter]) + s.Match.Render(filled[letter:letter+1]) + style.Render(filled[letter+1:]))
	}
	return row.String()
}

// drawRow gives one row. The selected one is in one style, so that it stands
// out whatever its cells say.
func (t *table[R]) drawRow(s *themes.Styles, drawn []placed, row R, chosen bool) string {
	id := t.id(row)
	cursor, mark, first := " ", " ", tone.Plain
	if chosen {
		cursor = "▸"
	}
	if t.marks[id] {
		mark, first = "*", tone.Marked
	}
	gone, last := t.gone[id], " "
	if t.outdated != nil && !gone && t.outdated(row) {
		last = "…"
	}
	line := runs{styles: s}
	line.add(cursor+mark+last, first)
	for i, p := range drawn {
		c := &t.columns[p.column]
		if i > 0 {
			line.blank(c.before())
		}
		stands := t.stands(c, row)
		if t.changed(id, p.column) {
			stands.tone = tone.Changed
		}
		if stands.styled != nil && !chosen && !gone {
			line.dressed(stands.styled(s))
			line.blank(p.width - cells.Width(stands.text))
			continue
		}
		line.add(c.fill(model.Clean(stands.text), p.width), stands.tone)
	}
	switch {
	case chosen:
		return s.Selected.Render(cells.Left(line.plain.String(), t.width))
	case gone:
		return s.Gone.Render(cells.Cut(line.plain.String(), t.width))
	case t.unmatched[id]:
		return s.Dim.Render(cells.Cut(line.plain.String(), t.width))
	}
	return line.end()
}

// stands is what a column says of a row; of one whose object is gone, what became
// of it in place of what it was.
func (t *table[R]) stands(c *column[R], row R) cell {
	switch {
	case !c.state || !t.gone[t.id(row)]:
		return c.text(row)
	case c.left != nil:
		return cell{text: c.left(row)}
	}
	return cell{text: "gone"}
}

// runs puts a line together and dresses neighbours of one tone at once, which
// is what most of a frame's time goes to.
type runs struct {
	styles      *themes.Styles
	plain, made strings.Builder
	run         []byte
	tone        tone.Tone
}

// blank adds n cells of nothing, which take any tone.
func (r *runs) blank(n int) { r.add(cells.Blank(n), r.tone) }

func (r *runs) add(text string, tone tone.Tone) {
	r.plain.WriteString(text)
	if tone != r.tone {
		r.flush()
		r.tone = tone
	}
	r.run = append(r.run, text...)
}

// dressed adds what has its styles already.
func (r *runs) dressed(text string) {
	r.flush()
	r.made.WriteString(text)
}

func (r *runs) flush() {
	if len(r.run) > 0 {
		r.made.WriteString(r.tone.Style(r.styles).Render(string(r.run)))
		r.run = r.run[:0]
	}
}

func (r *runs) end() string {
	r.flush()
	return r.made.String()
}

// cutCell is a cell that did not fit.
type cutCell struct {
	head, text string
	shown      int // cells of it that are drawn
}

// cutCells are the cells of the selected row that did not fit, left to right.
func (t *table[R]) cutCells() (all []cutCell) {
	row, ok := t.selected()
	if !ok {
		return nil
	}
	for _, p := range t.layout() {
		c := &t.columns[p.column]
		if text := model.Clean(t.stands(c, row).text); cells.Width(text) > p.width {
			all = append(all, cutCell{c.head, text, p.width})
		}
	}
	return all
}
