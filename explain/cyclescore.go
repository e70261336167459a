package explain

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// postFilter tells what preemption would do. The plugins themselves are never
// run here: they end pods.
func (w *stages) postFilter() {
	if !w.none {
		stage := w.unreached(report.StagePostFilter)
		if w.end == "" {
			stage.Words = "Not reached: a node is left, so nothing is preempted."
		}
		w.add(stage)
		return
	}
	stage := report.Stage{Name: report.StagePostFilter, Outcome: report.Refused, Words: "No node is left: is there one where ending pods of lower priority makes room?"}
	found := w.report.Preemption
	missing := !w.asked(names.DynamicResources)
	for _, name := range w.postFilters {
		step := w.step(report.StagePostFilter, name)
		switch {
		case name == names.DynamicResources && missing:
			step = step.Silent(report.Refused, "ends the attempt: its PreFilter was not asked")
			step.Detail = "kube-scheduler writes \"not found\" for it, and does not come to preemption."
		case name == names.DynamicResources && w.deallocates(w.m, w.question.Pod):
			step = step.Silent(report.Passed, "frees a claim for the next attempt")
			step.Detail = "A ResourceClaim of the pod is allocated where the pod cannot go, and nobody else has reserved it."
		case name == names.DynamicResources:
			step = step.Silent(report.Skipped, "skipped: no claim to free")
		case missing:
			step = step.Silent(report.Unreached, "not asked: DynamicResources ends the attempt")
		case found == nil:
			step = step.Silent(report.Open, "unknown: whether it would help could not be found out")
			stage.Outcome = report.Open
		case found.Possible:
			step.Asked, step.What, step.Detail = len(w.m.nodes), "makes room on "+found.Node, found.Why
			step.Refused, step.Left, stage.Outcome, stage.To = new(len(w.m.nodes)-1), 1, report.Passed, 1
			stage.Words = "Preemption would make room on " + found.Node + ": the pod is nominated to it and tried again."
		default:
			step.Asked, step.Outcome, step.What, step.Detail = len(w.m.nodes), report.Refused, "makes room on no node", found.Why
			step.Refused = new(len(w.m.nodes))
		}
		stage.Steps = append(stage.Steps, step)
	}
	stage.From = len(w.m.nodes)
	w.add(stage)
}

// asked says whether the scheduler comes to the plugin's PreFilter.
func (w *stages) asked(plugin string) bool {
	for _, stage := range w.way.Stages {
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
		Words: "Each plugin gives each node 0 to 100, times its weight. The highest sum wins.",
	}
	w.way.Sample = w.sample(w.m.named())
	w.way.Likely = w.way.Sample < len(w.feasible)
	r, err := w.prioritize(ctx, w.m.state, w.question.Pod, w.feasible)
	if err != nil {
		w.end = "the nodes could not be ranked"
		stage.Outcome, stage.Words = report.Open, "Unknown: "+err.Error()+"."
		w.add(stage)
		return ctx.Err()
	}
	if len(r.unread) > 0 {
		stage.Outcome = report.Open
		w.report.Unknown = mergeParts(w.report.Unknown, r.unread)
	}
	for _, node := range r.nodes {
		w.way.Ranked = append(w.way.Ranked, report.RankedNode{Node: node.node, Total: node.total, First: node.tied, Scores: node.scores})
	}
	switch {
	case len(w.feasible) == 1:
		stage.Outcome, stage.Words = report.Skipped, "Only one node is left, so none is ranked."
	case w.way.Likely:
		stage.Words = fmt.Sprintf("kube-scheduler ranks the first %d of these %s that it comes upon.", w.way.Sample, grammar.Plural(len(w.feasible), "node"))
	}
	stage.Steps = w.scoreSteps(&r)
	w.add(stage)
	return nil
}

// scoreSteps tells what each plugin gave.
func (w *stages) scoreSteps(r *ranking) []report.Step {
	var steps []report.Step
	alone := len(r.nodes) == 1
	each := func(stage, plugin string) report.Step {
		step := w.step(stage, plugin)
		step.Asked, step.Left = len(r.nodes), len(r.nodes)
		for _, part := range r.unread {
			if slices.Contains(part.Plugins, plugin) {
				step.Outcome, step.What = report.Open, "unknown: "+part.Why
			}
		}
		switch {
		case alone:
			return step.Silent(report.Unreached, "not asked: only one node is left")
		case r.skipped.Has(plugin):
			return step.Silent(report.Skipped, "skipped: "+skipScoreWords(plugin))
		}
		return step
	}
	for _, p := range w.preScorers {
		steps = append(steps, each(report.StagePreScore, p.Name()))
	}
	for _, p := range w.scorers {
		step := each(report.StageScore, p.name)
		if step.Asked > 0 {
			step.Scores = r.of(p.name)
		}
		steps = append(steps, step)
	}
	return steps
}

// of are one plugin's scores, best node of all first.
func (r *ranking) of(plugin string) []report.NodeScore {
	scores := make([]report.NodeScore, 0, len(r.nodes))
	for _, node := range r.nodes {
		for _, s := range node.scores {
			if s.Plugin == plugin {
				scores = append(scores, s)
			}
		}
	}
	return scores
}

// bind tells where the pod would go.
func (w *stages) bind() {
	if w.end != "" {
		w.add(w.unreached(report.StageBind))
		return
	}
	first := w.way.Ranked[0].Node
	stage := report.Stage{Name: report.StageBind, Outcome: report.Passed, From: len(w.feasible), To: 1}
	switch tie := w.way.Firsts(); {
	case w.way.Stage(report.StageScore).Outcome == report.Open:
		stage.Outcome, stage.Words = report.Open, "Unknown: scores rest on what could not be read."
	case w.way.Likely:
		stage.Words = fmt.Sprintf("Likely %s: it is the first of all that fit, if kube-scheduler comes upon it.", first)
	case len(tie) > 1:
		stage.Words = fmt.Sprintf("One of %s at random: no node has more.", grammar.List(tie, grammar.Few))
	default:
		stage.Words = "It would be bound to " + first + "."
	}
	for _, name := range w.binders {
		step := w.step(report.StageBind, name)
		step.Asked, step.Left = 1, 1
		step.What = "after Reserve, Permit and PreBind, which are not tried"
		stage.Steps = append(stage.Steps, step)
	}
	w.add(stage)
}
