package table

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Grow widens columns to what is in view; none ever narrows.
func (t *Table[R]) Grow() {
	if t.Width == 0 {
		return
	}
	for _, row := range t.InView() {
		for i := range t.Columns {
			if c := &t.Columns[i]; t.shows(c) {
				t.Widths[i] = max(t.Widths[i], c.atMost(cells.Width(model.Clean(c.Text(row).Text))))
			}
		}
	}
}

// shows says whether a column is drawn, if there is room.
func (t *Table[R]) shows(c *Column[R]) bool {
	few := !c.Extra && c.From == 0
	return t.Wide || c.From <= t.Width && (few || !t.Few)
}

// placed is one column as it is drawn: which, and how wide.
type placed struct{ Column, Width int }

// wanted are the columns to draw, at their widths, if there is room for all.
func (t *Table[R]) wanted() []placed {
	var drawn []placed
	for i := range t.Columns {
		if t.shows(&t.Columns[i]) {
			drawn = append(drawn, placed{i, t.Widths[i]})
		}
	}
	if t.Wide && t.shift > 0 && len(drawn) > 1 {
		drawn = append(drawn[:1:1], drawn[1+min(t.shift, len(drawn)-2):]...)
	}
	return drawn
}

// Layout says which columns are drawn and how wide. Those at the right drop
// first; the one that takes the rest gives way before them.
func (t *Table[R]) Layout() []placed {
	drawn := t.wanted()
	for {
		at, room := t.flexRoom(drawn)
		if at < 0 {
			return t.within(drawn)
		}
		flex := t.Columns[drawn[at].Column]
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
		if room >= least || t.Wide {
			drawn[at].Width = t.flexWidth(drawn, at, room)
			return drawn
		}
		drawn = drawn[:len(drawn)-1]
		drawn[0].Width = t.Widths[drawn[0].Column]
	}
}

// within makes columns fit of which none takes the rest: the first gives way, then
// those at the right drop.
func (t *Table[R]) within(drawn []placed) []placed {
	for !t.Wide && len(drawn) > 0 {
		drawn[0].Width = t.Widths[drawn[0].Column]
		over := Gutter - t.Width
		for i, p := range drawn {
			if over += p.Width; i > 0 {
				over += t.Columns[p.Column].Before()
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
func (t *Table[R]) flexRoom(drawn []placed) (at, room int) {
	at, room = -1, t.Width-Gutter
	for i, p := range drawn {
		c := &t.Columns[p.Column]
		if i > 0 {
			room -= c.Before()
		}
		if c.Flex {
			at = i
			continue
		}
		room -= p.Width
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
	n = max(min(n, p.Width-narrowest), 0)
	p.Width -= n
	return n
}

// flexWidth is how wide the column that takes the rest is drawn: the first one
// takes what it needs, any other all there is.
func (t *Table[R]) flexWidth(drawn []placed, at, room int) int {
	need := drawn[at].Width
	switch {
	case t.Wide && room < need:
		return need
	case at == 0:
		return max(min(need, room), 1)
	}
	return max(room, 1)
}

// cutColumns reports whether columns are cut off at the right.
func (t *Table[R]) cutColumns() bool {
	if !t.Wide {
		return false
	}
	sum := Gutter
	for _, p := range t.Layout() {
		sum += p.Width + t.Columns[p.Column].Before()
	}
	return sum-2 > t.Width
}

// Draw gives the head and the rows in view.
func (t *Table[R]) Draw(s *themes.Styles) []string {
	drawn := t.Layout()
	lines := make([]string, 0, t.Height)
	lines = append(lines, t.drawHead(s, drawn))
	for i, row := range t.InView() {
		lines = append(lines, t.drawRow(s, drawn, row, t.Top+i == t.Chosen && !t.Blurred))
	}
	return lines
}

// drawHead gives the heads; while sorting is asked for, with the letters.
func (t *Table[R]) drawHead(s *themes.Styles, drawn []placed) string {
	var row strings.Builder
	row.WriteString(cells.Blank(Gutter))
	for i, p := range drawn {
		c := &t.Columns[p.Column]
		if i > 0 {
			row.WriteString(cells.Blank(c.Before()))
		}
		filled := c.fill(c.Head, p.Width)
		letter := -1
		if t.Letters {
			letter = strings.Index(filled, c.Head) + t.Letter(p.Column)
		}
		style := s.Head
		if p.Column == t.Sorted {
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
func (t *Table[R]) drawRow(s *themes.Styles, drawn []placed, row R, chosen bool) string {
	id := t.ID(row)
	cursor, mark, first := " ", " ", tone.Plain
	if chosen {
		cursor = "▸"
	}
	if t.Marks[id] {
		mark, first = "*", tone.Marked
	}
	gone, last := t.Gone[id], " "
	if t.Outdated != nil && !gone && t.Outdated(row) {
		last = "…"
	}
	line := runs{styles: s}
	line.add(cursor+mark+last, first)
	for i, p := range drawn {
		c := &t.Columns[p.Column]
		if i > 0 {
			line.blank(c.Before())
		}
		stands := t.Stands(c, row)
		if t.changed(id, p.Column) {
			stands.Tone = tone.Changed
		}
		if stands.Styled != nil && !chosen && !gone {
			line.dressed(stands.Styled(s))
			line.blank(p.Width - cells.Width(stands.Text))
			continue
		}
		line.add(c.fill(model.Clean(stands.Text), p.Width), stands.Tone)
	}
	switch {
	case chosen:
		return s.Selected.Render(cells.Left(line.plain.String(), t.Width))
	case gone:
		return s.Gone.Render(cells.Cut(line.plain.String(), t.Width))
	case t.unmatched[id]:
		return s.Dim.Render(cells.Cut(line.plain.String(), t.Width))
	}
	return line.end()
}

// Stands is what a column says of a row; of one whose object is gone, what became
// of it in place of what it was.
func (t *Table[R]) Stands(c *Column[R], row R) Cell {
	switch {
	case !c.State || !t.Gone[t.ID(row)]:
		return c.Text(row)
	case c.Left != nil:
		return Cell{Text: c.Left(row)}
	}
	return Cell{Text: "gone"}
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
	Head, text string
	shown      int // cells of it that are drawn
}

// CutCells are the cells of the selected row that did not fit, left to right.
func (t *Table[R]) CutCells() (all []cutCell) {
	row, ok := t.Selected()
	if !ok {
		return nil
	}
	for _, p := range t.Layout() {
		c := &t.Columns[p.Column]
		if text := model.Clean(t.Stands(c, row).Text); cells.Width(text) > p.Width {
			all = append(all, cutCell{c.Head, text, p.Width})
		}
	}
	return all
}

// CutNote is the text of the selected row that its columns cut off: whole if it
// fits width cells, else what is missing of the last one, which says most.
func (t *Table[R]) CutNote(width int) string {
	all := t.CutCells()
	if len(all) == 0 {
		return ""
	}
	if whole := wholeCells(all); cells.Width(whole) < width {
		return whole
	}
	last := all[len(all)-1]
	rest := []rune(last.text)
	rest = rest[min(max(last.shown-1, 0), len(rest)):]
	if at := strings.Index(string(rest), ", "); at >= 0 && at < 12 {
		return cells.CutWords("… "+string(rest)[at+2:], width-1)
	}
	return cells.CutWords("…"+string(rest), width-1)
}

// wholeCells tells cells whole: one with its head, several by their texts alone.
func wholeCells(all []cutCell) string {
	if len(all) == 1 {
		return strings.ToLower(all[0].Head) + ": " + all[0].text
	}
	var texts []string
	for _, c := range all {
		texts = append(texts, c.text)
	}
	return strings.Join(texts, " · ")
}

// ColumnAt is the column whose head is at cell x; -1 if none.
func (t *Table[R]) ColumnAt(x int) int {
	at := Gutter
	for i, p := range t.Layout() {
		if i > 0 {
			at += t.Columns[p.Column].Before()
		}
		if x >= at && x < at+p.Width {
			return p.Column
		}
		at += p.Width
	}
	return -1
}

// Letter is the place in a column's head of the letter that sorts by it, the
// first that no column before it has taken; -1 where all are.
func (t *Table[R]) Letter(column int) int {
	taken := ""
	for i := range t.Columns {
		head := strings.ToLower(t.Columns[i].Head)
		if t.Columns[i].Field == "" {
			head = ""
		}
		at := strings.IndexFunc(head, func(r rune) bool {
			return 'a' <= r && r <= 'z' && !strings.ContainsRune(taken, r)
		})
		if i == column {
			return at
		}
		if at >= 0 {
			taken += head[at : at+1]
		}
	}
	return -1
}

// ByLetter is the column that a letter sorts by; -1 if none.
func (t *Table[R]) ByLetter(letter string) int {
	for i := range t.Columns {
		if at := t.Letter(i); at >= 0 && strings.EqualFold(t.Columns[i].Head[at:at+1], letter) {
			return i
		}
	}
	return -1
}
