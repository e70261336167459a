package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// queue says whether the pod enters the scheduler's queue at all.
func (w *stages) queue() {
	stage := report.Stage{Name: report.StageQueue, Outcome: report.Passed, From: len(w.alive), Words: "The pod can enter the scheduling queue."}
	defer func() {
		stage.To = len(w.alive)
		w.add(stage)
	}()
	if w.Report.Verdict == report.NotConsidered {
		w.alive, w.end = nil, "no scheduler handles the pod"
		stage.Outcome, stage.Words = report.Rejected, "No scheduler handles the pod: "+w.NoScheduler+"."
		return
	}
	if why := whyUnknown(w.Report, "leases"); why != "" {
		stage.Outcome, stage.Words = report.Open, "Unknown: "+why+"."
	}
	for _, p := range w.Profile.Gates {
		step := w.gate(p.Name())
		stage.Steps = append(stage.Steps, step)
		if step.Outcome == report.Open && stage.Outcome == report.Passed {
			stage.Outcome, stage.Words = report.Open, "Unknown: "+step.What+"."
		}
	}
	if held := w.Gates; len(held) > 0 {
		var all []string
		for _, h := range held {
			all = append(all, h.Short)
		}
		w.alive, w.end = nil, "the pod does not enter the active queue"
		stage.Outcome = report.Rejected
		stage.Words = fmt.Sprintf("kube-scheduler does not consider the pod: %s.", strings.Join(all, ", "))
	}
}

// gate is the step of one PreEnqueue plugin.
func (w *stages) gate(plugin string) report.Step {
	step := w.step(report.StageQueue, plugin)
	for _, h := range w.Gates {
		if h.Plugin == plugin {
			step.Outcome, step.Rejected, step.Left = report.Rejected, new(step.Asked), 0
			step.What, step.Detail = h.Short, h.What+", until "+h.Until+"."
			return step
		}
	}
	for _, part := range w.Report.Unknown {
		if slices.Contains(part.Plugins, plugin) && w.GatesUnknown {
			return step.Silent(report.Open, part.Why)
		}
	}
	return step
}

// whyUnknown says why something about the pod is unknown for the resource; "" if
// nothing is.
func whyUnknown(r *report.Report, resource string) string {
	for _, part := range r.Unknown {
		if part.Resource == resource {
			return part.Why
		}
	}
	return ""
}
