package trace

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
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
	stage := report.Stage{Name: report.StagePostFilter, Outcome: report.Rejected, Words: "No node fits: kube-scheduler tries to preempt pods of lower priority."}
	if policy := w.Question.Pod.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		stage.Words = "No node fits. Nothing is preempted: preemptionPolicy is Never."
	}
	found := w.Report.Preemption
	missing := !w.asked(names.DynamicResources)
	for _, name := range w.Profile.PostFilters {
		step := w.step(report.StagePostFilter, name)
		switch {
		case name == names.DynamicResources && missing:
			step = step.Silent(report.Rejected, "ends the attempt: its PreFilter was not run")
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
			step.Rejected, step.Left, stage.Outcome, stage.To = new(len(w.Matrix.Nodes)-1), 1, report.Passed, 1
			stage.Words = "Preemption would help on " + found.Node + ": kube-scheduler would nominate it and retry the pod."
		default:
			step.Asked, step.Outcome, step.What, step.Detail = len(w.Matrix.Nodes), report.Rejected, "won't help on any node", found.Why
			step.Rejected = new(len(w.Matrix.Nodes))
		}
		stage.Steps = append(stage.Steps, step)
	}
	stage.From = len(w.Matrix.Nodes)
	w.add(stage)
}
