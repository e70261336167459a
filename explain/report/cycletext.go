package report

import (
	"fmt"
	"strconv"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Symbol is one cell for the outcome.
func (o Outcome) Symbol() string {
	switch o {
	case Passed:
		return "✓"
	case Rejected:
		return "✗"
	case Open:
		return "?"
	}
	return "–"
}

// ScoreHead is what stands over the column of a plugin's scores.
func ScoreHead(plugin string) string {
	switch plugin {
	case "NodeResourcesBalancedAllocation":
		return "balance"
	case "ImageLocality":
		return "image"
	}
	return pluginnames.Head(plugin)
}

// Title is the stage's name with what it comes to: the nodes, for Filter, before
// and after it.
func (s *Stage) Title() string {
	if s.Name == StageFilter && (s.Outcome == Passed || s.Outcome == Rejected) {
		return fmt.Sprintf("%s %d→%d", s.Name, s.From, s.To)
	}
	return s.Name + " " + s.Outcome.Symbol()
}

// Told are the steps that are worth a line each; the alike others, which come last,
// all say the same of no node.
func (s *Stage) Told() (steps []Step, alike int) {
	for alike < len(s.Steps) {
		step := s.Steps[len(s.Steps)-1-alike]
		if step.Outcome != Unreached || step.What != s.Steps[len(s.Steps)-1].What {
			break
		}
		alike++
	}
	if alike < 2 {
		alike = 0
	}
	return s.Steps[:len(s.Steps)-alike], alike
}

// CycleHead stands above a scheduling cycle.
const CycleHead = "SCHEDULING CYCLE, simulated now"

// sections are the scheduling cycle: each stage in a line, with the plugins that reject
// nodes, and the scores; of all nodes or of the best.
func (w *SchedulingCycle) sections(all bool) []Section {
	if w == nil {
		return nil
	}
	sections := []Section{{Heading: CycleHead, Lines: []string{w.Where}}}
	for i := range w.Stages {
		stage := &w.Stages[i]
		title := stage.Title()
		s := Section{Close: true, Indent: 2, Hang: stageWidth, Lines: []string{Left.pad(title, stageWidth) + stage.Words}}
		switch stage.Name {
		case StagePreFilter, StageFilter:
			s.Table = stage.nodeCounts()
		case StageScore:
			s.Table, s.Notes = w.scoreTable(all)
		default:
			s.Table = stage.results()
		}
		sections = append(sections, s)
	}
	return sections
}

// stageWidth is the width of a stage's title.
const stageWidth = 16

// results are what the stage's plugins did; nil for nothing.
func (s *Stage) results() *Table {
	table := &Table{Columns: []Column{{Head: "  PLUGIN"}, {Head: "RESULT"}}}
	for _, step := range s.Steps {
		if step.What != "" {
			table.Rows = append(table.Rows, Row{Cells: []string{"  " + step.Plugin, step.What}})
		}
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return table
}

// nodeCounts are the stage's plugins with the nodes before and after each; nil for none.
func (s *Stage) nodeCounts() *Table {
	steps, alike := s.Told()
	table := &Table{Columns: []Column{{Head: "  PLUGIN"}, {"CHECKED", Right}, {"REJECTED", Right}, {"LEFT", Right}, {Head: "REASON"}}}
	row := func(plugin, asked, rejected string, left int, what string) {
		table.Rows = append(table.Rows, Row{Cells: []string{"  " + plugin, asked, rejected, strconv.Itoa(left), what}})
	}
	for _, step := range steps {
		if s.tells(&step) {
			asked, rejected := step.Counts()
			row(step.Plugin, asked, rejected, step.Left, step.What)
		}
	}
	if alike > 0 {
		last := s.Steps[len(s.Steps)-1]
		row(grammar.Count(alike, "more plugin", "more plugins"), "–", "–", last.Left, last.What)
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return table
}

// tells says whether the step is worth a line: a PreFilter half that leaves no
// node out is not.
func (s *Stage) tells(step *Step) bool {
	return s.Name != StagePreFilter || (step.Outcome != Skipped && (step.Rejected == nil || *step.Rejected > 0))
}

// Counts are how many nodes the plugin was asked about and how many it refused,
// as cells: "–" where it was not asked, "?" where that is not known.
func (s *Step) Counts() (asked, refused string) {
	switch s.Outcome {
	case Skipped, Unreached:
		return "–", "–"
	case Open:
		return strconv.Itoa(s.Asked), "?"
	}
	return strconv.Itoa(s.Asked), strconv.Itoa(*s.Rejected)
}

// rankedMost is how many of the nodes that fit are shown with their scores.
const rankedMost = 10

// scoreTable has a row for each node and a column for each plugin that has a say,
// score×weight; the notes name plugins that have none. nil where only one node fits.
func (w *SchedulingCycle) scoreTable(all bool) (*Table, []string) {
	if len(w.Ranked) < 2 {
		return nil, nil
	}
	shown := w.Ranked
	if !all {
		shown = shown[:min(len(shown), rankedMost)]
	}
	table := &Table{Columns: []Column{{Head: "  NODE"}, {"TOTAL", Right}}}
	for _, s := range w.Ranked[0].Scores {
		table.Columns = append(table.Columns, Column{ScoreHead(s.Plugin), Right})
	}
	for _, node := range shown {
		cells := []string{"  " + node.Node, strconv.FormatInt(node.Total, 10)}
		for _, s := range node.Scores {
			cells = append(cells, s.Product())
		}
		table.Rows = append(table.Rows, Row{Cells: cells})
	}
	var notes []string
	if rest := len(w.Ranked) - len(shown); rest > 0 {
		notes = append(notes, "  "+grammar.Plural(rest, "more node")+" with the same or a lower total")
	}
	for _, step := range w.Stage(StageScore).Steps {
		if step.Stage == StagePreScore && step.Outcome != Passed {
			notes = append(notes, "  "+step.Plugin+" "+step.What)
		}
	}
	return table, notes
}

// Product is the score with the weight that it is multiplied by: "100×3".
func (s NodeScore) Product() string { return fmt.Sprintf("%d×%d", s.Score, s.Weight) }
