package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// traceRow is a plugin of a stage, several that say the same of no node, or a
// node that was ranked.
type traceRow struct {
	step report.Step
	more int // plugins that the step stands for; 0: itself
	node *report.RankedNode
}

func traceID(row traceRow) string {
	if row.node != nil {
		return row.node.Node
	}
	return row.step.Stage + " " + row.step.Plugin
}

// name is what the row goes by.
func (row traceRow) name() string {
	if row.more > 0 {
		return fmt.Sprintf("%d more", row.more)
	}
	return row.step.Plugin
}

// fill puts the shown stage into the table. The selected row stays so.
func (p *trace) fill() {
	stage, ok := p.shown()
	if !ok {
		return
	}
	old := p.table
	p.table = table.New(traceID, p.columns(stage)...)
	if len(old.Widths) == len(p.table.Widths) {
		p.table.Widths = old.Widths
	}
	p.table.Rows, p.table.Chosen, p.table.Top = old.Rows, old.Chosen, old.Top
	p.table.Reset(p.rowsOf(stage))
	p.lay()
}

// ranks says whether the stage's rows are nodes.
func (p *trace) ranks(stage *report.Stage) bool {
	return stage.Name == report.StageScore && len(p.report.Cycle.Ranked) > 0
}

func (p *trace) rowsOf(stage *report.Stage) []traceRow {
	var rows []traceRow
	if p.ranks(stage) {
		for i := range p.report.Cycle.Ranked {
			rows = append(rows, traceRow{node: &p.report.Cycle.Ranked[i]})
		}
		return rows
	}
	steps, alike := stage.Told()
	for _, step := range steps {
		rows = append(rows, traceRow{step: step})
	}
	if alike > 0 {
		rows = append(rows, traceRow{step: stage.Steps[len(stage.Steps)-1], more: alike})
	}
	return rows
}

// columns are those that the stage's rows have.
func (p *trace) columns(stage *report.Stage) []table.Column[traceRow] {
	switch {
	case p.ranks(stage):
		return p.scoreColumns()
	case stage.Name == report.StageFilter || stage.Name == report.StagePreFilter:
		return p.nodeColumns(stage)
	}
	return []table.Column[traceRow]{
		{Head: "PLUGIN", Min: 17, Max: 30, Text: func(row traceRow) table.Cell { return table.Cell{Text: row.name()} }},
		{Head: "OUTCOME", Min: 9, Text: func(row traceRow) table.Cell { return outcomeCell(row.step.Outcome) }},
		{Head: "WHAT IT SAYS", Flex: true, Text: func(row traceRow) table.Cell {
			return table.Cell{Text: strings.TrimPrefix(p.app.observed.brief(row.step.What), string(row.step.Outcome)+": ")}
		}},
	}
}

func outcomeCell(o report.Outcome) table.Cell {
	return table.Cell{Text: string(o), Tone: map[report.Outcome]tone.Tone{
		report.Passed: tone.Good, report.Refused: tone.Bad, report.Open: tone.Unknown, report.Skipped: tone.Dim, report.Unreached: tone.Dim,
	}[o]}
}

// nodeColumns count the nodes before and after each plugin.
func (p *trace) nodeColumns(stage *report.Stage) []table.Column[traceRow] {
	counts := func(pick func(asked, refused string) string) func(traceRow) table.Cell {
		return func(row traceRow) table.Cell {
			made := table.Cell{Text: pick(row.step.Counts())}
			if made.Text == "?" {
				made.Tone = tone.Unknown
			}
			return made
		}
	}
	what := "WHAT IT REFUSED"
	if stage.Name == report.StagePreFilter {
		what = "WHAT IT LEAVES OUT"
	}
	return []table.Column[traceRow]{
		{Head: "PLUGIN", Min: 17, Max: 22, Text: func(row traceRow) table.Cell { return table.Cell{Text: row.name()} }},
		{Head: "ASKED", Gap: 1, Right: true, Text: counts(func(asked, _ string) string { return asked })},
		{Head: "REFUSE", Gap: 1, Right: true, Text: counts(func(_, refused string) string { return refused })},
		{Head: "LEFT", Gap: 1, Right: true, Text: func(row traceRow) table.Cell { return table.Cell{Text: strconv.Itoa(row.step.Left)} }},
		{Min: leftWidth, Text: func(row traceRow) table.Cell {
			if row.more > 0 || row.step.Outcome == report.Unreached {
				return table.Cell{}
			}
			return leftBar(row.step.Left, stage.From)
		}},
		{Head: what, Flex: true, Text: func(row traceRow) table.Cell { return table.Cell{Text: p.app.observed.brief(row.step.What)} }},
	}
}

// leftWidth is the cells of the bar of nodes that are left.
const leftWidth = 10

// leftBar draws how many of the nodes are left.
func leftBar(left, whole int) table.Cell {
	n := int(min((share(int64(left), int64(whole))*leftWidth+500)/1000, leftWidth))
	full, rest := strings.Repeat("█", n), strings.Repeat("·", leftWidth-n)
	return table.Cell{Text: full + rest, Styled: func(s *themes.Styles) string { return s.BarUsed.Render(full) + s.BarFree.Render(rest) }}
}

// scoreColumns are a node, its total, and score×weight by each plugin as far as
// there is room: those that give all nodes the same go first, then the last ones.
func (p *trace) scoreColumns() []table.Column[traceRow] {
	columns := []table.Column[traceRow]{
		{Head: "NODE", Min: 10, Max: 30, Names: true, Text: func(row traceRow) table.Cell { return table.Cell{Text: p.app.observed.nodeName(row.node.Node)} }},
		{Head: "TOTAL", Min: 5, Right: true, Text: func(row traceRow) table.Cell {
			made := table.Cell{Text: strconv.FormatInt(row.node.Total, 10)}
			if len(row.node.Scores) == 0 { // it was the only one, so nothing was scored
				made.Text = "–"
			}
			if row.node.First {
				made.Tone = tone.Good
			}
			return made
		}},
	}
	for _, plugin := range p.scorers() {
		columns = append(columns, table.Column[traceRow]{Head: report.ScoreHead(plugin), Min: 5, Right: true, Text: func(row traceRow) table.Cell {
			for _, s := range row.node.Scores {
				if s.Plugin == plugin {
					return table.Cell{Text: s.Product()}
				}
			}
			return table.Cell{Text: "–"}
		}})
	}
	return columns
}

// scorers are the plugins that get a column.
func (p *trace) scorers() []string {
	ranked := p.report.Cycle.Ranked
	name := 10
	for _, node := range ranked {
		name = max(name, min(cells.Width(p.app.observed.nodeName(node.Node)), 30))
	}
	var plugins []string
	for _, s := range ranked[0].Scores {
		plugins = append(plugins, s.Plugin)
	}
	room := p.width - table.Gutter - name - 2 - len("TOTAL")
	wide := func() int {
		sum := 0
		for _, plugin := range plugins {
			sum += 2 + max(cells.Width(report.ScoreHead(plugin)), 5)
		}
		return sum
	}
	for i := len(plugins) - 1; i >= 0 && wide() > room; i-- {
		if !tells(ranked, plugins[i]) {
			plugins = slices.Delete(plugins, i, i+1)
		}
	}
	for len(plugins) > 0 && wide() > room {
		plugins = plugins[:len(plugins)-1]
	}
	return plugins
}

// tells says whether a plugin tells nodes apart.
func tells(ranked []report.RankedNode, plugin string) bool {
	of := func(node report.RankedNode) int64 {
		for _, s := range node.Scores {
			if s.Plugin == plugin {
				return s.Score
			}
		}
		return 0
	}
	return slices.ContainsFunc(ranked, func(node report.RankedNode) bool { return of(node) != of(ranked[0]) })
}
