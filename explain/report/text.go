package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// firstLines is how many lines a first look takes at most, as far as leaving out groups of
// nodes can help.
const firstLines = 20

// Text is the report for reading on a terminal of width columns; 0 is without end. Unless
// all is wanted, counts and the farthest groups are left out where it would take more than 20
// lines.
func Text(r *Report, width int, o TextOptions) string {
	if o.Verbose {
		return draw(r, width, o, 0)
	}
	text := draw(r, width, o, firstGroups)
	if o.Nodes || o.Fixes || r.Cycle != nil {
		return text
	}
	for _, few := range []bool{false, true} {
		o.few = few
		for groups := firstGroups; groups > 2 && strings.Count(text, "\n") > firstLines; groups-- {
			text = draw(r, width, o, groups)
		}
	}
	for groups := 2; groups > 0 && strings.Count(text, "\n") > firstLines; groups-- {
		text = draw(r, width, o, groups)
	}
	return text
}

// draw draws the report with that many groups; 0 for all.
func draw(r *Report, width int, o TextOptions, groups int) string {
	if width <= 0 {
		width = 1 << 20
	}
	w := &textWriter{width: width, whole: o.Verbose || o.Fixes || o.Nodes || r.Cycle != nil, brief: r.briefly()}
	document := r.Document(o, groups)
	w.line(0, document.Title)
	for i := range document.Sections {
		w.section(&document.Sections[i], i > 0)
	}
	if hint := moreHint(r, o); hint != "" {
		w.line(0, hint)
	}
	return w.b.String()
}

// moreHint names the flags that show what a first look leaves out.
func moreHint(r *Report, o TextOptions) string {
	switch {
	case o.List || o.Verbose && (o.Fixes || len(r.Fixes) <= firstFixes) || r.Cycle != nil:
		return ""
	case o.Verbose:
		return "More: --fixes (" + grammar.Count(len(r.Fixes), "with its command", "with their commands") + ")"
	case o.Fixes || len(r.Fixes) == 0:
		return "More: --verbose, --trace"
	case slices.ContainsFunc(r.Fixes, func(f Fix) bool { return len(f.commandLines()) > 0 }):
		return "More: --fixes (" + grammar.Count(len(r.Fixes), "with its command", "with their commands") + "), --verbose, --trace"
	case len(r.Fixes) > firstFixes:
		return "More: --fixes (" + strconv.Itoa(len(r.Fixes)) + "), --verbose, --trace"
	}
	return "More: --verbose, --trace"
}

// textWriter writes sections in lines of a width.
type textWriter struct {
	b     strings.Builder
	width int
	whole bool                // last cells are not cut
	brief func(string) string // leaves the domain of nodes out
}

// line writes a line as it is, cleaned.
func (w *textWriter) line(indent int, text string) {
	w.b.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+model.Clean(text), " ") + "\n")
}

// sentence writes a text wrapped to the width.
func (w *textWriter) sentence(indent int, text string) {
	for line := range strings.Lines(ansi.Wrap(w.brief(model.Clean(text)), w.width-indent, "")) {
		w.line(indent, strings.TrimSuffix(line, "\n"))
	}
}

func (w *textWriter) section(s *Section, apart bool) {
	if apart && !s.Close {
		w.b.WriteByte('\n')
	}
	if s.Heading != "" {
		w.sentence(s.Indent, s.Heading)
	}
	first := w.b.Len()
	for _, line := range s.Lines {
		if s.Hang > 0 {
			w.hung(s.Indent, s.Hang, line)
			continue
		}
		w.sentence(s.Indent, line)
	}
	if s.Most > 0 && !w.whole {
		w.keep(first, s.Most)
	}
	if s.Table != nil {
		w.table(s.Indent, s.Table)
	}
	if s.Quote != "" {
		w.line(s.Indent+2, s.Quote)
	}
	for _, note := range s.Notes {
		w.sentence(s.Indent, note)
	}
}

// hung writes a text that begins with a label, wrapped beside it.
func (w *textWriter) hung(indent, label int, text string) {
	head := ansi.Truncate(text, label, "")
	for line := range strings.Lines(ansi.Wrap(w.brief(model.Clean(ansi.TruncateLeft(text, label, ""))), w.width-indent-label, "")) {
		w.line(indent, head+strings.TrimSuffix(line, "\n"))
		head = strings.Repeat(" ", label)
	}
}

// ellipsis ends a text that keep has cut.
const ellipsis = " …"

// keep cuts what was written from a place on to so many lines, at a word.
func (w *textWriter) keep(from, most int) {
	text := w.b.String()
	lines := strings.SplitAfter(text[from:], "\n")
	if len(lines) <= most+1 {
		return
	}
	last := strings.TrimSuffix(lines[most-1], "\n")
	room := w.width - ansi.StringWidth(ellipsis)
	if ansi.StringWidth(last) > room || strings.HasSuffix(last, "-") { // lines are wrapped at hyphens too
		last = ansi.Truncate(last, room, "")
		if word := strings.LastIndexByte(last, ' '); word > 0 {
			last = last[:word]
		}
	}
	lines[most-1] = strings.TrimRight(last, " ") + ellipsis + "\n"
	w.b.Reset()
	w.b.WriteString(text[:from] + strings.Join(lines[:most], ""))
}

// table writes rows under heads. The last column takes what is left of the width.
func (w *textWriter) table(indent int, t *Table) {
	heads := make([]string, len(t.Columns))
	for c, column := range t.Columns {
		heads[c] = column.Head
	}
	widths := make([]int, len(t.Columns))
	for _, cells := range append([][]string{heads}, t.cells(w.brief)...) {
		for c, cell := range cells {
			widths[c] = max(widths[c], grammar.Cells(cell))
		}
	}
	if over := sum(widths[1:]) + 2*len(widths) + indent + lastMin - widths[len(widths)-1]; !w.whole && t.Columns[0].Align == Left {
		widths[0] = min(widths[0], max(w.width-over, firstMin))
	}
	w.row(indent, t.Columns, widths, heads, nil)
	for i, cells := range t.cells(w.brief) {
		row := &t.Rows[i]
		w.row(indent, t.Columns, widths, cells, row.Wider)
		for _, line := range append(row.Code, row.Below...) {
			w.line(indent+4, line)
		}
	}
}

// The least widths of the first and the last column.
const (
	firstMin = 30
	lastMin  = 20
)

// sum adds widths up.
func sum(widths []int) int {
	all := 0
	for _, width := range widths {
		all += width
	}
	return all
}

// cells are the cells of all rows as they are drawn.
func (t *Table) cells(brief func(string) string) [][]string {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		for _, cell := range row.Cells {
			rows[i] = append(rows[i], brief(model.Clean(cell)))
		}
	}
	return rows
}

// row writes one row of a table.
func (w *textWriter) row(indent int, columns []Column, widths []int, cells, wider []string) {
	last := len(cells) - 1
	texts := make([]string, 0, len(cells))
	for c, cell := range cells[:last] {
		texts = append(texts, columns[c].Align.pad(ansi.Truncate(cell, widths[c], "…"), widths[c]))
	}
	gap := " "
	if columns[0].Align == Left {
		gap = "  "
	}
	text := strings.Join(texts, gap) + "  "
	room := w.width - indent - grammar.Cells(text)
	cell := cells[last]
	if columns[last].Align == Right {
		cell = Right.pad(cell, widths[last])
	}
	for _, longer := range wider {
		if longer = w.brief(model.Clean(longer)); grammar.Cells(longer) <= room {
			cell = longer
		}
	}
	if !w.whole {
		cell = ansi.Truncate(cell, max(room, lastMin), "…")
	}
	w.line(indent, text+cell)
}

// pad puts text into width columns. A centred one is never right of the fourth letter of
// its head.
func (a Align) pad(text string, width int) string {
	free := max(0, width-grammar.Cells(text))
	before := 0
	switch a {
	case Right:
		before = free
	case Centre:
		before = min(free, max(0, min(width/2, 3)-grammar.Cells(text)/2))
	case Left:
	}
	return strings.Repeat(" ", before) + text + strings.Repeat(" ", free-before)
}

// briefly leaves the domain that all nodes share out of texts.
func (r *Report) briefly() func(string) string {
	domain := r.sharedDomain()
	if domain == "" {
		return func(text string) string { return text }
	}
	return func(text string) string { return strings.ReplaceAll(text, domain, "") }
}

// sharedDomain is what stands after the first dot of every node's name, with
// the dot; "" unless it is the same for all.
func (r *Report) sharedDomain() string {
	var domain string
	for _, g := range r.Groups {
		for _, node := range g.Nodes {
			at := strings.IndexByte(node, '.')
			if at <= 0 || (domain != "" && node[at:] != domain) {
				return ""
			}
			domain = node[at:]
		}
	}
	return domain
}
