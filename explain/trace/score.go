package trace

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// postFilter says what preemption would do. The plugins themselves are never run
// here: they evict pods.
func (w *stages) postFilter() {
	if !w.none {
		stage := w.unreached(report.StagePostFilter)
		if w.end == "" {
			stage.Words = "Not reached: a node fits, so nothing is preempted."
		}
		w.add(stage)
		return
	}
	stage := report.Stage{Name: report.StagePostFilter, Outcome: report.Refused, Words: "No node fits: kube-scheduler tries to preempt pods of lower priority."}
	if policy := w.Question.Pod.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		stage.Words = "No node fits. Nothing is preempted: preemptionPolicy is Never."
	}
	found := w.Report.Preemption
	missing := !w.asked(names.DynamicResources)
	for _, name := range w.Profile.PostFilters {
		step := w.step(report.StagePostFilter, name)
		switch {
		case name == names.DynamicResources && missing:
			step = step.Silent(report.Refused, "ends the attempt: its PreFilter was not run")
			step.Detail = "kube-scheduler reports \"not found\" for it and does not reach preemption."
		case name == names.DynamicResources && w.Preemption.Deallocates(w.Matrix, w.Question.Pod):
			step = step.Silent(report.Passed, "deallocates a claim for the next attempt")
			step.Detail = "A ResourceClaim of the pod is allocated where the pod does not fit, and no other pod has reserved it."
		case name == names.DynamicResources:
			step = step.Silent(report.Skipped, "skipped: no claim to deallocate")
		case missing:
			step = step.Silent(report.Unreached, "not run: DynamicResources ends the attempt")
		case found == nil:
			step = step.Silent(report.Open, "unknown: required objects could not be read")
			stage.Outcome = report.Open
		case found.Possible:
			step.Asked, step.What, step.Detail = len(w.Matrix.Nodes), "helps on "+found.Node, found.Why
			step.Refused, step.Left, stage.Outcome, stage.To = new(len(w.Matrix.Nodes)-1), 1, report.Passed, 1
			stage.Words = "Preemption would help on " + found.Node + ": kube-scheduler would nominate it and retry the pod."
		default:
			step.Asked, step.Outcome, step.What, step.Detail = len(w.Matrix.Nodes), report.Refused, "won't help on any node", found.Why
			step.Refused = new(len(w.Matrix.Nodes))
		}
		stage.Steps = append(stage.Steps, step)
	}
	stage.From = len(w.Matrix.Nodes)
	w.add(stage)
}

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

// bind says to which node the pod would be bound.
func (w *stages) bind() {
	if w.end != "" {
		w.add(w.unreached(report.StageBind))
		return
	}
	first := w.cycle.Ranked[0].Node
	stage := report.Stage{Name: report.StageBind, Outcome: report.Passed, From: len(w.feasible), To: 1}
	switch tie := w.cycle.Firsts(); {
	case w.cycle.Stage(report.StageScore).Outcome == report.Open:
		stage.Outcome, stage.Words = report.Open, "Unknown: scores depend on objects that could not be read."
	case w.cycle.Likely:
		stage.Words = fmt.Sprintf("Likely %s: it scores highest, if kube-scheduler finds it.", first)
	case len(tie) > 1:
		stage.Words = fmt.Sprintf("One of %s at random: they score highest.", grammar.List(tie, grammar.Few))
	default:
		stage.Words = "It would be bound to " + first + "."
	}
	for _, name := range w.Profile.Binders {
		step := w.step(report.StageBind, name)
		step.Asked, step.Left = 1, 1
		step.What = "after Reserve, Permit and PreBind, which are not simulated"
		stage.Steps = append(stage.Steps, step)
	}
	w.add(stage)
}
