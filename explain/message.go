package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// noNodes is what the scheduler writes when there is no node at all
// (scheduler.ErrNoNodesAvailable; the package would bring the whole scheduler in).
const noNodes = "no nodes available to schedule pods"

// simulator simulates preemption for pods of the profile.
func (e *Engine) simulator(p *scheduler.Profile) preemption.Simulator {
	return preemption.Simulator{Profile: p, Budgets: e.budgets}
}

// outcome repeats Scheduler.schedulingAlgorithm on the answers of the plugins.
func (e *Engine) outcome(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod) (preemption.Outcome, error) {
	if len(m.Nodes) == 0 {
		return preemption.Outcome{Message: noNodes}, nil
	}
	if m.Open() {
		return preemption.Outcome{}, nil
	}
	d := m.Diagnose(ctx, pod)
	switch {
	case d.Failure != "" && (d.Unclear || (d.Fits && len(m.Nodes) > scheduler.SampledFrom)):
		return preemption.Outcome{}, nil
	case d.Failure != "":
		return preemption.Outcome{Message: d.Failure}, nil
	case d.Fits:
		return preemption.Outcome{}, nil
	}
	simulator := e.simulator(m.Profile)
	o, err := simulator.PostFilter(ctx, m, pod, d)
	if err != nil || o.Open != nil {
		return o, err
	}
	o.Legacy = e.legacyMessage(simulator, pod, d, o)
	d.Fit.Diagnosis.PostFilterMsg = o.Message
	o.Message = d.Fit.Error()
	return o, nil
}
