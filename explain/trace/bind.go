package trace

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

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
