package explanation

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// matrix draws the table of groups and plugins.
type matrix struct {
	table  report.GroupTable
	shown  []string // the columns that have room
	hidden []string // those that do not: one column stands for all of them
	width  int
	styles *themes.Styles
}

// wordsMin is the least width of the reason.
const wordsMin = 28

// newMatrix lays the columns out in width cells.
func newMatrix(t report.GroupTable, width int, styles *themes.Styles) matrix {
	m := matrix{table: t, shown: t.Columns, width: width, styles: styles}
	for len(m.shown) > 1 && m.wordsAt()+min(wordsMin, width/3) > width {
		last := len(m.shown) - 1
		m.hidden = append([]string{m.shown[last]}, m.hidden...)
		m.shown = m.shown[:last]
	}
	return m
}

// wordsAt is the column in which the words begin.
func (m matrix) wordsAt() int {
	at := 8
	for _, plugin := range m.shown {
		at += 1 + cells.Width(pluginnames.Head(plugin))
	}
	if len(m.hidden) > 0 {
		at += 1 + len(m.more())
	}
	return at + 2
}

// more is the head over the plugins that have no room.
func (m matrix) more() string { return fmt.Sprintf("+%d", len(m.hidden)) }

// head is the row of heads.
func (m matrix) head() string {
	var b strings.Builder
	b.WriteString("   " + report.NodesHead)
	for _, plugin := range m.shown {
		b.WriteString(" " + pluginnames.Head(plugin))
	}
	if len(m.hidden) > 0 {
		b.WriteString(" " + m.more())
	}
	b.WriteString("  " + report.ReasonHead)
	return m.styles.Head.Render(b.String())
}

// row draws one group, without its gutter's cursor.
func (m matrix) row(g *report.Group, words string) string {
	return m.line(cells.Right(m.table.Count(g), 8), func(plugin string) string { return m.mark(g, plugin) }, words)
}

// mark is a cell: rejected, passed, or not decided.
func (m matrix) mark(g *report.Group, plugin string) string {
	mark := m.table.Mark(g, plugin)
	switch mark {
	case "✗":
		return m.styles.Bad.Render(mark)
	case "?":
		return m.styles.Unknown.Render(mark)
	}
	return m.styles.Dim.Render(mark)
}

// line draws a row of the table: its label, a cell for each column, its words.
// Cells of the columns without room are joined: the first that refuses stands
// for all of them.
func (m matrix) line(label string, cell func(plugin string) string, words string) string {
	var b strings.Builder
	b.WriteString(label)
	for _, plugin := range m.shown {
		b.WriteString(" " + centred(cell(plugin), cells.Width(pluginnames.Head(plugin))))
	}
	if len(m.hidden) > 0 {
		b.WriteString(" " + centred(m.joined(cell), len(m.more())))
	}
	b.WriteString("  " + words)
	return b.String()
}

// joined is the cell for all columns without room: the worst of them.
func (m matrix) joined(cell func(plugin string) string) string {
	drawn := make(map[string]string, len(m.hidden))
	for _, plugin := range m.hidden {
		mark := cell(plugin)
		drawn[ansi.Strip(mark)] = mark
	}
	for _, worst := range []string{"✗", "?", "·"} {
		if mark, ok := drawn[worst]; ok {
			return mark
		}
	}
	return ""
}

// centred puts a cell under its head: a mark stands in the middle, but never
// right of the fourth letter; figures keep their middle there.
func centred(cell string, width int) string {
	wide := cells.Width(cell)
	before := max(0, min(width/2, 3)-wide/2)
	return cells.Blank(before) + cell + cells.Blank(width-before-wide)
}

// rejects is the row that counts the nodes which each plugin rejects.
func (m matrix) rejects() string {
	note := m.table.RejectNote()
	if m.wordsAt()+cells.Width(note) > m.width {
		note = m.table.RejectNoteShort()
	}
	return m.counts(report.RejectLabel, note, func(plugin string) string { rejects, _ := m.table.CountCells(plugin); return rejects })
}

// only is the row that counts the nodes which only one plugin rejects.
func (m matrix) only() string {
	return m.counts(report.OnlyLabel, report.OnlyNote, func(plugin string) string { _, only := m.table.CountCells(plugin); return only })
}

// counts draws a row of one figure a plugin.
func (m matrix) counts(label, words string, cell func(plugin string) string) string {
	return m.styles.Dim.Render(m.line(fmt.Sprintf("%8s", label), cell, words))
}

// rest counts the groups that have no room, and their nodes.
func (m matrix) rest(from int) string {
	groups, nodes := m.table.After(from)
	return m.counts(strconv.Itoa(nodes), groups+" ↓", func(string) string { return "" })
}
