package table

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

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
			if c := &t.Columns[i]; c.Bar == nil && t.Layout().shows(c) {
				t.Widths[i] = max(t.Widths[i], c.atMost(cells.Width(model.Clean(c.Text(row).Text))))
			}
		}
	}
}

// Draw draws the head and the rows in view.
func (t *Table[R]) Draw(s *themes.Styles) []string {
	d := drawn(t, s)
	lines := make([]string, 0, t.Height)
	lines = append(lines, d.head())
	for i, row := range t.InView() {
		lines = append(lines, d.row(row, t.Top+i == t.Chosen && !t.Blurred))
	}
	return lines
}

// drawing is the state of drawing a table once.
type drawing[R any] struct {
	table   *Table[R]
	styles  *themes.Styles
	columns []Placed
	alike   map[string]int // how many rows in view begin so in the column of prose, as far as they are drawn
}

// drawn is how a table is drawn.
func drawn[R any](t *Table[R], s *themes.Styles) drawing[R] {
	d := drawing[R]{t, s, t.Layout().Place(), nil}
	d.alike = d.beginnings()
	return d
}

// keepsEnd reports whether a text that does not fit a cell is drawn with its end: others begin alike.
func (d drawing[R]) keepsEnd(c *Column[R], text string, width int) bool {
	return c.Prose && cells.Width(text) > width && d.alike[cells.Cut(text, width)] > 1
}

// beginnings counts what rows in view begin with in the column of prose, of those that do not fit it.
func (d drawing[R]) beginnings() map[string]int {
	var found map[string]int
	for _, p := range d.columns {
		c := &d.table.Columns[p.Column]
		if !c.Prose {
			continue
		}
		found = map[string]int{}
		for _, row := range d.table.InView() {
			if text := model.Clean(d.table.Stands(c, row).Text); cells.Width(text) > p.Width {
				found[cells.Cut(text, p.Width)]++
			}
		}
	}
	return found
}

// fill is the text of a cell, padded or cut.
func (d drawing[R]) fill(c *Column[R], text string, width int) string {
	if d.keepsEnd(c, text, width) {
		return prose(cells.CutClauses(text, width), width)
	}
	return c.fill(text, width)
}

// head draws the heads; while the user chooses a column to sort by, with letters.
func (d drawing[R]) head() string {
	t, s := d.table, d.styles
	var row strings.Builder
	row.WriteString(cells.Blank(Gutter))
	end, beyond := d.ownArrow()
	for i, p := range d.columns {
		c := &t.Columns[p.Column]
		before, head := 0, c.Head
		if i == len(d.columns)-1 && end != "" && !beyond {
			p.Width--
		}
		if i > 0 {
			before = c.Before()
		}
		switch {
		case p.Column != t.Sorted:
		case cells.Width(head) < p.Width-c.Inset:
			head += arrow(t.Descending)
		case before > 1: // the column is too narrow for it
			row.WriteString(cells.Blank(before-1) + s.Head.Render(arrow(t.Descending)))
			before = 0
		}
		row.WriteString(cells.Blank(before))
		filled := cells.Blank(min(c.Inset, p.Width)) + c.fill(head, max(p.Width-c.Inset, 0))
		letter := -1
		if t.Letters {
			letter = strings.Index(filled, c.Head) + t.Columns.Letter(p.Column)
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
	if end != "" {
		row.WriteString(s.Head.Render(end))
	}
	return row.String()
}

// ownArrow says which way the rows' own order goes, at the end of the heads: in the last column, or beyond
// it where its head has no room there and cells are free. A blank is before it: beside a head it would be that
// of its column. It is "" where rows are sorted by a column, which has the arrow, and where there is no room.
func (d drawing[R]) ownArrow() (end string, beyond bool) {
	t := d.table
	if t.Sorted >= 0 || t.Own == Unordered || len(d.columns) == 0 {
		return "", false
	}
	end = arrow((t.Own == Falling) != t.Reversed)
	taken := Gutter
	for i, p := range d.columns {
		if taken += p.Width; i > 0 {
			taken += t.Columns[p.Column].Before()
		}
	}
	last := d.columns[len(d.columns)-1]
	c := &t.Columns[last.Column]
	inside := last.Width - c.Inset - cells.Width(c.Head) // blanks behind the head
	switch {
	case !c.Right && inside >= 2:
		return end, false
	case !c.Right && inside == 1 && taken < t.Width:
		return end, true
	case taken+2 <= t.Width:
		return " " + end, true
	}
	return "", false
}

// arrow says which way rows are sorted: from the largest on, or from the smallest.
func arrow(descending bool) string {
	if descending {
		return "▼"
	}
	return "▲"
}

// row draws one row. The selected one has one style, so that it stands out whatever
// its cells are.
func (d drawing[R]) row(row R, chosen bool) string {
	t, s := d.table, d.styles
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
	for i, p := range d.columns {
		c := &t.Columns[p.Column]
		if i > 0 {
			line.blank(c.Before())
		}
		stands := cellOf(t, c, row, p.Width)
		if t.Highlights.has(id, p.Column) {
			stands.Tone = tone.Changed
		}
		if stands.Styled != nil && !chosen && !gone {
			line.dressed(stands.Styled(s))
			line.blank(p.Width - cells.Width(stands.Text))
			continue
		}
		line.add(d.fill(c, model.Clean(stands.Text), p.Width), stands.Tone)
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

// Stands is the cell of a column for a row; for a row whose object is gone, what
// happened to it.
func (t *Table[R]) Stands(c *Column[R], row R) Cell {
	switch {
	case !c.State || !t.Gone[t.ID(row)]:
		return c.Text(row)
	case c.Left != nil:
		return Cell{Text: c.Left(row)}
	}
	return Cell{Text: "gone"}
}

// cellOf is the cell of a column of a width.
func cellOf[R any](t *Table[R], c *Column[R], row R, width int) Cell {
	if c.Bar != nil {
		return c.Bar.Draw(row, width)
	}
	return t.Stands(c, row)
}

// runs joins a line and styles neighbours of one tone at once: styling takes most of
// a frame's time.
type runs struct {
	styles      *themes.Styles
	plain, made strings.Builder
	run         []byte
	tone        tone.Tone
}

// blank adds n blank cells, which take any tone.
func (r *runs) blank(n int) { r.add(cells.Blank(n), r.tone) }

func (r *runs) add(text string, tone tone.Tone) {
	r.plain.WriteString(text)
	if tone != r.tone {
		r.flush()
		r.tone = tone
	}
	r.run = append(r.run, text...)
}

// dressed adds text that is styled already.
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

// CutCell is a cell that did not fit.
type CutCell struct {
	Head, text string
	shown      int  // cells of it that are drawn
	end        bool // these are of its end
}

// CutCells are the cells of the selected row that did not fit, left to right.
func (t *Table[R]) CutCells() (all []CutCell) {
	row, ok := t.Selected()
	if !ok {
		return nil
	}
	d := drawn(t, nil)
	for _, p := range d.columns {
		c := &t.Columns[p.Column]
		if text := model.Clean(cellOf(t, c, row, p.Width).Text); cells.Width(text) > p.Width {
			all = append(all, CutCell{c.Head, text, p.Width, d.keepsEnd(c, text, p.Width)})
		}
	}
	return all
}

// Cuts reports whether a column has no room for all that it says of a row.
func Cuts[R any](t *Table[R], head string, row R) bool {
	for _, p := range t.Layout().Place() {
		if c := &t.Columns[p.Column]; c.Head == head {
			return cells.Width(model.Clean(t.Stands(c, row).Text)) > p.Width
		}
	}
	return true // it is not shown
}

// CutNote is the text of the selected row that its columns cut off: all of it if it
// fits width cells, else the missing part of the last column, or its last clause where its end is drawn.
func (t *Table[R]) CutNote(width int) string {
	all := t.CutCells()
	if len(all) == 0 {
		return ""
	}
	if whole := wholeCells(all); cells.Width(whole) < width {
		return whole
	}
	last := all[len(all)-1]
	if at := strings.LastIndex(last.text, ": "); last.end && at >= 0 {
		return cells.CutWords("… "+last.text[at+2:], width-1)
	}
	rest := []rune(last.text)
	rest = rest[min(max(last.shown-1, 0), len(rest)):]
	if at := strings.Index(string(rest), ", "); at >= 0 && at < 12 {
		return cells.CutWords("… "+string(rest)[at+2:], width-1)
	}
	return cells.CutWords("…"+string(rest), width-1)
}

// wholeCells is the uncut text of cells: one with its head, several without.
func wholeCells(all []CutCell) string {
	if len(all) == 1 {
		return strings.ToLower(all[0].Head) + ": " + all[0].text
	}
	var texts []string
	for _, c := range all {
		texts = append(texts, c.text)
	}
	return strings.Join(texts, " · ")
}

// SelectedRow is a row with the cursor in its gutter.
func SelectedRow(s *themes.Styles, text string, width int) string {
	return s.Selected.Render("▸" + cells.Left(strings.TrimPrefix(ansi.Strip(text), " "), width-1))
}
