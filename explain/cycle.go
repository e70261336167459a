package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/explain/trace"
)

// trace adds the scheduling cycle to the answer, stage by stage. For a pod that has a
// node it is that of the same pod taken off it: why there.
func (x *explanation) trace(ctx context.Context) error {
	cycle, err := x.walk(ctx)
	if err != nil {
		return err
	}
	x.report.Cycle = cycle
	for _, stage := range cycle.Stages {
		x.report.Trace = append(x.report.Trace, stage.Steps...)
	}
	return nil
}

// walk follows the scheduler for the pod of the explanation, which has answered.
// A pod that has a node is taken off it first.
func (x *explanation) walk(ctx context.Context) (*report.SchedulingCycle, error) {
	y, running := x, x.question.Pod.Spec.NodeName
	if pod := x.question.Pod; running != "" {
		s := x.scheduler.State.Fork()
		defer s.Revert()
		if _, err := x.scheduler.State.NodeInfos().Get(running); err == nil && !scheduler.Terminal(pod) {
			if err := s.RemovePod(pod); err != nil {
				return nil, err
			}
		}
		again, err := x.again(ctx, pod)
		if err != nil {
			return nil, err
		}
		y = again
	}
	if _, unread := y.scheduler.Forbidden["nodes"]; !unread {
		if _, err := y.evaluate(ctx); err != nil {
			return nil, err
		}
	}
	cycle, err := trace.Of(ctx, trace.Query{
		Profile: y.profile, Question: y.question, Report: y.report, Matrix: y.matrix,
		Gates: y.facts.Gates, GatesUnknown: y.ungated, NoScheduler: y.facts.Scheduler.Why,
		Preemption: y.simulator(y.profile), Running: running,
	})
	if err != nil {
		return nil, err
	}
	x.report.Unknown, x.report.Scheduler.Caveats = y.report.Unknown, y.report.Scheduler.Caveats
	return cycle, nil
}

// again answers for the pod itself as if it waited for a node. That it has one
// proves that its scheduler took care of it.
func (x *explanation) again(ctx context.Context, pod *corev1.Pod) (*explanation, error) {
	copied := *pod
	copied.Spec.NodeName, copied.Status.NominatedNodeName, copied.DeletionTimestamp = "", "", nil
	y := x.begin(ctx, &copied)
	y.facts.Scheduler = summary.Liveness{Alive: true, Known: true}
	y.facts.Unread = x.facts.Unread
	return y, y.answer(ctx, false)
}
