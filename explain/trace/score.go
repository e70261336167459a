package trace

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// asked says whether the scheduler comes to the plugin's PreFilter.
func (w *stages) asked(plugin string) bool {
	for _, stage := range w.cycle.Stages {
		if stage.Name != report.StagePreFilter {
			continue
		}
		for _, step := range stage.Steps {
			if step.Plugin == plugin {
				return step.Outcome != report.Unreached
			}
		}
	}
	return false
}

// score ranks the nodes that are left.
func (w *stages) score(ctx context.Context) error {
	if w.end != "" {
		w.add(w.unreached(report.StageScore))
		return nil
	}
	stage := report.Stage{
		Name: report.StageScore, Outcome: report.Passed, From: len(w.feasible), To: len(w.feasible),
		Words: "Score × weight of each plugin, added up: the highest total wins.",
	}
	w.cycle.Sample = w.Profile.Sample(w.Matrix.Included())
	w.cycle.Likely = w.cycle.Sample < len(w.feasible)
	r, err := w.Profile.Prioritize(ctx, w.Matrix.State, w.Question.Pod, w.feasible)
	if err != nil {
		w.end = "the nodes could not be scored"
		stage.Outcome, stage.Words = report.Open, "Unknown: "+err.Error()+"."
		w.add(stage)
		return ctx.Err()
	}
	if len(r.Unread) > 0 {
		stage.Outcome = report.Open
		w.Report.Unknown = report.MergeUnknown(w.Report.Unknown, r.Unread)
	}
	for _, node := range r.Nodes {
		w.cycle.Ranked = append(w.cycle.Ranked, report.RankedNode{Node: node.Node, Total: node.Total, First: node.Tied, Scores: node.Scores})
	}
	switch {
	case len(w.feasible) == 1:
		stage.Outcome, stage.Words = report.Skipped, "Only one node fits, so nothing is scored."
	case w.cycle.Likely:
		stage.Words = fmt.Sprintf("kube-scheduler scores only the first %d of these %s that it finds.", w.cycle.Sample, grammar.Plural(len(w.feasible), "node"))
	}
	stage.Steps = w.scoreSteps(&r)
	w.add(stage)
	return nil
}

// scoreSteps are the scores that each plugin gave.
func (w *stages) scoreSteps(r *scheduler.Ranking) []report.Step {
	var steps []report.Step
	alone := len(r.Nodes) == 1
	each := func(stage, plugin string) report.Step {
		step := w.step(stage, plugin)
		step.Asked, step.Left = len(r.Nodes), len(r.Nodes)
		for _, part := range r.Unread {
			if slices.Contains(part.Plugins, plugin) {
				step.Outcome, step.What = report.Open, "unknown: "+part.Why
			}
		}
		switch {
		case alone:
			return step.Silent(report.Unreached, "not run: only one node fits")
		case r.Skipped.Has(plugin):
			return step.Silent(report.Skipped, "skipped: "+skipScoreWords(plugin))
		}
		return step
	}
	for _, p := range w.Profile.PreScorers() {
		steps = append(steps, each(report.StagePreScore, p))
	}
	for _, p := range w.Profile.Scorers() {
		step := each(report.StageScore, p)
		if step.Asked > 0 {
			step.Scores = r.Of(p)
		}
		steps = append(steps, step)
	}
	return steps
}
