package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Symbol is one cell for the outcome.
func (o Outcome) Symbol() string {
	switch o {
	case Passed:
		return "✓"
	case Refused:
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
	return Head(plugin)
}

// Title is the stage's name with what it comes to: the nodes, for Filter, before
// and after it.
func (s *Stage) Title() string {
	if s.Name == StageFilter && (s.Outcome == Passed || s.Outcome == Refused) {
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

// textLines tell the scheduler's way: each stage in a line, with the plugins of
// those that keep nodes away.
func (w *SchedulingCycle) textLines(all bool) []string {
	if w == nil {
		return nil
	}
	lines := []string{"KUBE-SCHEDULER'S WAY, as of now, not of its last attempt"}
	if w.Where != "" {
		lines = append(lines, "  "+w.Where)
	}
	for i := range w.Stages {
		stage := &w.Stages[i]
		lines = append(lines, fmt.Sprintf("  %-14s%s", stage.Title(), stage.Words))
		switch stage.Name {
		case StagePreFilter, StageFilter:
			lines = append(lines, stage.nodeCounts()...)
		case StageScore:
			lines = append(lines, w.scoreTable(all)...)
		default:
			for _, step := range stage.Steps {
				if step.What != "" {
					lines = append(lines, fmt.Sprintf("    %-20s %s", step.Plugin, step.What))
				}
			}
		}
	}
	return lines
}

// nodeCounts are the stage's plugins with the nodes before and after each.
func (s *Stage) nodeCounts() []string {
	steps, alike := s.Told()
	row := func(plugin, asked, refused string, left int, what string) string {
		return fmt.Sprintf("    %-20s %6s %6s %5d  %s", plugin, asked, refused, left, what)
	}
	lines := []string{fmt.Sprintf("    %-20s %6s %6s %5s  %s", "PLUGIN", "ASKED", "REFUSE", "LEFT", "WHAT IT REFUSED")}
	for _, step := range steps {
		if !s.tells(&step) {
			continue
		}
		asked, refused := step.Counts()
		lines = append(lines, row(step.Plugin, asked, refused, step.Left, step.What))
	}
	if alike > 0 {
		last := s.Steps[len(s.Steps)-1]
		lines = append(lines, row(fmt.Sprintf("%d more", alike), "–", "–", last.Left, last.What))
	}
	if len(lines) == 1 {
		return nil
	}
	return lines
}

// tells says whether the step is worth a line: a PreFilter half that leaves no
// node out is not.
func (s *Stage) tells(step *Step) bool {
	return s.Name != StagePreFilter || (step.Outcome != Skipped && (step.Refused == nil || *step.Refused > 0))
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
	return strconv.Itoa(s.Asked), strconv.Itoa(*s.Refused)
}

// rankedMost is how many of the nodes that fit are told with their scores.
const rankedMost = 10

// scoreTable has a row for each node and a column for each plugin that says
// anything, score×weight.
func (w *SchedulingCycle) scoreTable(all bool) []string {
	if len(w.Ranked) < 2 {
		return nil
	}
	shown := w.Ranked
	if !all {
		shown = shown[:min(len(shown), rankedMost)]
	}
	name := len("NODE")
	for _, node := range shown {
		name = max(name, grammar.Cells(node.Node))
	}
	head := []string{fmt.Sprintf("    %-*s %5s", name, "NODE", "TOTAL")}
	for _, s := range w.Ranked[0].Scores {
		head = append(head, fmt.Sprintf("%*s", scoreWidth(s.Plugin), ScoreHead(s.Plugin)))
	}
	lines := []string{strings.Join(head, "  ")}
	for _, node := range shown {
		row := []string{fmt.Sprintf("    %-*s %5d", name, node.Node, node.Total)}
		for _, s := range node.Scores {
			row = append(row, fmt.Sprintf("%*s", scoreWidth(s.Plugin), s.Product()))
		}
		lines = append(lines, strings.Join(row, "  "))
	}
	if rest := len(w.Ranked) - len(shown); rest > 0 {
		lines = append(lines, fmt.Sprintf("    %s with no higher total", grammar.Plural(rest, "more node")))
	}
	var silent []string
	for _, step := range w.Stage(StageScore).Steps {
		if step.Stage == StagePreScore && step.Outcome != Passed {
			silent = append(silent, step.Plugin+" "+step.What)
		}
	}
	return append(lines, prefixed("    ", silent)...)
}

// Product is the score with the weight that it is multiplied by: "100×3".
func (s NodeScore) Product() string { return fmt.Sprintf("%d×%d", s.Score, s.Weight) }

// scoreWidth is the width of a plugin's column.
func scoreWidth(plugin string) int { return max(len(ScoreHead(plugin)), len("100×3")-1) }

// markdown tells the same as tables.
func (w *SchedulingCycle) markdown() []string {
	if w == nil {
		return nil
	}
	blocks := []string{"kube-scheduler's way, as of now, not of its last attempt:"}
	lines := []string{"| stage | plugin | asked | refused | left | what |", "|--|--|--:|--:|--:|--|"}
	for _, stage := range w.Stages {
		lines = append(lines, row(stage.Title(), "", "", strconv.Itoa(stage.From), strconv.Itoa(stage.To), stage.Words))
		if stage.Name == StageScore {
			continue
		}
		for _, step := range stage.Steps {
			if step.What != "" && stage.tells(&step) {
				asked, refused := step.Counts()
				lines = append(lines, row("", step.Plugin, asked, refused, strconv.Itoa(step.Left), step.What))
			}
		}
	}
	blocks = append(blocks, strings.Join(lines, "\n"))
	if scores := w.markdownScores(); scores != "" {
		blocks = append(blocks, scores)
	}
	if w.Where != "" {
		blocks = append(blocks, prose(w.Where))
	}
	return blocks
}

// markdownScores tabulates the best of the nodes that fit.
func (w *SchedulingCycle) markdownScores() string {
	if len(w.Ranked) < 2 {
		return ""
	}
	head, rule := []string{"node", "total"}, "|--|--:|"
	for _, s := range w.Ranked[0].Scores {
		head, rule = append(head, s.Plugin), rule+"--:|"
	}
	lines := []string{row(head...), rule}
	for _, node := range w.Ranked[:min(len(w.Ranked), rankedMost)] {
		line := []string{node.Node, strconv.FormatInt(node.Total, 10)}
		for _, s := range node.Scores {
			line = append(line, s.Product())
		}
		lines = append(lines, row(line...))
	}
	return strings.Join(lines, "\n")
}
