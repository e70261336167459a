package why

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// Group is one row of the matrix: the nodes that are refused alike.
type Group struct {
	Count    int
	Nodes    []string // nearest first
	Fits     *bool
	Refusals []report.Refusal
	Words    string
}

// Refuses says whether plugin keeps the group's nodes away.
func (g Group) Refuses(plugin string) bool {
	return slices.ContainsFunc(g.Refusals, func(r report.Refusal) bool { return r.Plugin == plugin })
}

// Plugins names those that keep the group's nodes away, by their heads.
func (g Group) Plugins() []string {
	var names []string
	for _, r := range g.Refusals {
		names = append(names, report.Head(r.Plugin))
	}
	return names
}

// Groups are the rows of the matrix. What a PreFilter refuses holds for all
// nodes: it is told once, in a row of its own over all of them.
func Groups(r *report.Report) []Group {
	var over, groups []Group
	for _, group := range r.Groups {
		row := Group{Count: group.Count, Nodes: group.Nodes, Fits: group.Fits, Words: group.Words}
		for _, refusal := range group.Refusals {
			switch {
			case !refusal.PreFilter:
				row.Refusals = append(row.Refusals, refusal)
				continue
			case !slices.ContainsFunc(over, func(g Group) bool { return g.Refuses(refusal.Plugin) }):
				over = append(over, overAllNodes(r, refusal))
			}
			row.Words = without(row.Words, refusal.Short)
		}
		if len(row.Refusals) == 0 && len(group.Refusals) > 0 {
			continue
		}
		groups = append(groups, row)
	}
	return append(over, groups...)
}

// overAllNodes is the row of a refusal that holds for every node.
func overAllNodes(r *report.Report, refusal report.Refusal) Group {
	row := Group{Count: r.Total, Fits: new(false), Refusals: []report.Refusal{refusal}, Words: refusal.Short}
	for _, group := range r.Groups {
		row.Nodes = append(row.Nodes, group.Nodes...)
	}
	if row.Words == "" {
		row.Words = refusal.What
	}
	return row
}

// without leaves one clause out of the words of a group.
func without(words, clause string) string {
	for _, joined := range []string{"; " + clause, clause + "; "} {
		if before, after, found := strings.Cut(words, joined); found {
			return before + after
		}
	}
	return words
}

// rank is a column's rank in the scheduler's order; unknown plugins come last.
func rank(plugin string) int {
	headed := report.Headed()
	if at := slices.Index(headed, plugin); at >= 0 {
		return at
	}
	return len(headed)
}

// ColumnsOf are the plugins that get a column: those that refuse, those that
// were left open, and those that had one already while the view is open.
func ColumnsOf(r *report.Report, had []string) []string {
	columns := slices.Clone(had)
	add := func(plugin string) {
		if !slices.Contains(columns, plugin) {
			columns = append(columns, plugin)
		}
	}
	for _, plugin := range r.Plugins {
		if plugin.Refuses > 0 {
			add(plugin.Name)
		}
	}
	for _, group := range r.Groups {
		for _, refusal := range group.Refusals {
			add(refusal.Plugin)
		}
	}
	for _, part := range r.Unknown {
		for _, plugin := range part.Plugins {
			add(plugin)
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int { return rank(a) - rank(b) })
	return columns
}

// matrix draws the table of groups and plugins.
type matrix struct {
	report *report.Report
	groups []Group
	shown  []string // the columns that have room
	hidden []string // those that do not: one column tells of them together
	open   []string // plugins that could not be decided for every node
	width  int
	styles *themes.Styles
}

// wordsMin is the least room for what stands in the way.
const wordsMin = 28

// newMatrix lays the columns out in width cells.
func newMatrix(r *report.Report, groups []Group, columns []string, width int, styles *themes.Styles) matrix {
	m := matrix{report: r, groups: groups, shown: columns, width: width, styles: styles}
	for _, part := range r.Unknown {
		m.open = append(m.open, part.Plugins...)
	}
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
		at += 1 + cells.Width(report.Head(plugin))
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
	b.WriteString("   NODES")
	for _, plugin := range m.shown {
		b.WriteString(" " + report.Head(plugin))
	}
	if len(m.hidden) > 0 {
		b.WriteString(" " + m.more())
	}
	b.WriteString("  WHAT STANDS IN THE WAY, NEAREST FIRST")
	return m.styles.Head.Render(b.String())
}

// row draws one group, without its gutter's cursor.
func (m matrix) row(g Group, words string) string {
	return m.line(fmt.Sprintf("%8d", g.Count), func(plugin string) string { return m.mark(g, plugin) }, words)
}

// mark is a cell: refused, passed, or not evaluated.
func (m matrix) mark(g Group, plugin string) string {
	switch {
	case g.Refuses(plugin):
		return m.styles.Bad.Render("✗")
	case slices.Contains(m.open, plugin) && (g.Fits == nil || !*g.Fits):
		return m.styles.Unknown.Render("?")
	}
	return m.styles.Dim.Render("·")
}

// line draws a row of the table: its label, a cell for each column, its words.
// Cells of the columns without room are joined: the first that refuses stands
// for all of them.
func (m matrix) line(label string, cell func(plugin string) string, words string) string {
	var b strings.Builder
	b.WriteString(label)
	for _, plugin := range m.shown {
		b.WriteString(" " + centred(cell(plugin), cells.Width(report.Head(plugin))))
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

// refuse is the row that counts the nodes which each plugin refuses.
func (m matrix) refuse() string {
	words := fmt.Sprintf("of %d", m.report.Total)
	switch {
	case m.report.Others == 1:
		words += "; the 1 other plugin refuses none"
	case m.report.Others > 1:
		words += fmt.Sprintf("; the %d other plugins refuse none", m.report.Others)
	}
	return m.counts("refuse", words, func(p report.PluginResult) int { return p.Refuses })
}

// alone is the row that counts the nodes which only one plugin refuses.
func (m matrix) alone() string {
	return m.counts("alone", "nodes that this plugin alone keeps away",
		func(p report.PluginResult) int { return p.Alone })
}

// counts draws a row of one figure a plugin.
func (m matrix) counts(label, words string, of func(report.PluginResult) int) string {
	cell := func(plugin string) string {
		for _, p := range m.report.Plugins {
			if p.Name == plugin {
				return strconv.Itoa(of(p))
			}
		}
		return "0"
	}
	return m.styles.Dim.Render(m.line(fmt.Sprintf("%8s", label), cell, words))
}

// rest tells of the groups that have no room.
func (m matrix) rest(from int) string {
	nodes := 0
	for _, g := range m.groups[from:] {
		nodes += g.Count
	}
	return m.styles.Dim.Render("   " + figures.Count(len(m.groups)-from, "more group", "more groups") + ", " + figures.Count(nodes, "node", "nodes"))
}
