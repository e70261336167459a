package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
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
func (p *Page) fill() {
	stage, ok := p.shown()
	if !ok {
		return
	}
	old := p.Table
	drawn := stageRows{p.report.Cycle, p.Host.Observed(), p.Width}
	p.Table = table.New(traceID, drawn.columns(stage)...)
	if len(old.Widths) == len(p.Table.Widths) {
		p.Table.Widths = old.Widths
	}
	p.Table.Rows, p.Table.Chosen, p.Table.Top = old.Rows, old.Chosen, old.Top
	p.Table.Reset(drawn.of(stage))
	p.lay()
}

// stageRows are the rows and columns of the stages of a scheduling cycle.
type stageRows struct {
	cycle    *report.SchedulingCycle
	observed *page.Observed
	width    int // of the page, in cells
}

// ranks says whether the stage's rows are nodes.
func (r *stageRows) ranks(stage *report.Stage) bool {
	return stage.Name == report.StageScore && len(r.cycle.Ranked) > 0
}

func (r *stageRows) of(stage *report.Stage) []traceRow {
	var rows []traceRow
	if r.ranks(stage) {
		for i := range r.cycle.Ranked {
			rows = append(rows, traceRow{node: &r.cycle.Ranked[i]})
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
func (r *stageRows) columns(stage *report.Stage) []table.Column[traceRow] {
	switch {
	case r.ranks(stage):
		return r.scoreColumns()
	case stage.Name == report.StageFilter || stage.Name == report.StagePreFilter:
		return r.nodeColumns(stage)
	}
	return []table.Column[traceRow]{
		{Head: "PLUGIN", Min: 17, Max: 30, Text: func(row traceRow) table.Cell { return table.Cell{Text: row.name()} }},
		{Head: "OUTCOME", Min: 9, Text: func(row traceRow) table.Cell { return outcomeCell(row.step) }},
		{Head: "RESULT", Flex: true, Text: func(row traceRow) table.Cell {
			return table.Cell{Text: strings.TrimPrefix(r.observed.Brief(row.step.What), string(row.step.Outcome)+": ")}
		}},
	}
}

func outcomeCell(step report.Step) table.Cell {
	o, text := step.Outcome, string(step.Outcome)
	if step.Stage == report.StagePostFilter && o == report.Rejected {
		text = "failed" // a PostFilter plugin rejects no node
	}
	return table.Cell{Text: text, Tone: map[report.Outcome]tone.Tone{
		report.Passed: tone.Good, report.Rejected: tone.Bad, report.Open: tone.Unknown, report.Skipped: tone.Dim, report.Unreached: tone.Dim,
	}[o]}
}

// nodeColumns count the nodes before and after each plugin.
func (r *stageRows) nodeColumns(stage *report.Stage) []table.Column[traceRow] {
	counts := func(pick func(asked, refused string) string) func(traceRow) table.Cell {
		return func(row traceRow) table.Cell {
			made := table.Cell{Text: pick(row.step.Counts())}
			if made.Text == "?" {
				made.Tone = tone.Unknown
			}
			return made
		}
	}
	what := "REASON"
	if stage.Name == report.StagePreFilter {
		what = "NODES LEFT OUT"
	}
	return []table.Column[traceRow]{
		{Head: "PLUGIN", Min: 17, Max: 22, Text: func(row traceRow) table.Cell { return table.Cell{Text: row.name()} }},
		{Head: "CHECKED", Gap: 1, Right: true, Text: counts(func(asked, _ string) string { return asked })},
		{Head: "REJECTED", Gap: 1, Right: true, Text: counts(func(_, refused string) string { return refused })},
		{Head: "LEFT", Gap: 1, Right: true, Text: func(row traceRow) table.Cell { return table.Cell{Text: strconv.Itoa(row.step.Left)} }},
		{Min: leftWidth, Text: func(row traceRow) table.Cell {
			if row.more > 0 || row.step.Outcome == report.Unreached {
				return table.Cell{}
			}
			return leftBar(row.step.Left, stage.From)
		}},
		{Head: what, Flex: true, Text: func(row traceRow) table.Cell {
			return table.Cell{Text: r.observed.Brief(report.ShortLabels(row.step.What))}
		}},
	}
}

// leftWidth is the cells of the bar of nodes that are left.
const leftWidth = 10

// leftBar draws how many of the nodes are left.
func leftBar(left, whole int) table.Cell {
	n := int(min((figures.Share(int64(left), int64(whole))*leftWidth+500)/1000, leftWidth))
	full, rest := strings.Repeat("█", n), strings.Repeat("·", leftWidth-n)
	return table.Cell{Text: full + rest, Styled: func(s *themes.Styles) string { return s.BarUsed.Render(full) + s.BarFree.Render(rest) }}
}

// scoreColumns are a node, its total, and score×weight by each plugin as far as
// there is room: those that give all nodes the same go first, then the last ones.
func (r *stageRows) scoreColumns() []table.Column[traceRow] {
	columns := []table.Column[traceRow]{
		{Head: "NODE", Min: 10, Max: 30, Names: true, Text: func(row traceRow) table.Cell { return table.Cell{Text: r.observed.NodeName(row.node.Node)} }},
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
	for _, plugin := range r.scorers() {
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
func (r *stageRows) scorers() []string {
	ranked := r.cycle.Ranked
	name := 10
	for _, node := range ranked {
		name = max(name, min(cells.Width(r.observed.NodeName(node.Node)), 30))
	}
	var plugins []string
	for _, s := range ranked[0].Scores {
		plugins = append(plugins, s.Plugin)
	}
	room := r.width - table.Gutter - name - 2 - len("TOTAL")
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
