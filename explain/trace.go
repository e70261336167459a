package explain

import (
	"context"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/explain/trace"
)

// trace adds the scheduling cycle to the answer, stage by stage. For a pod that has a
// node it is that of the same pod taken off it: why there.
func (e *Engine) trace(ctx context.Context, x *explanation) error {
	cycle, err := e.walk(ctx, x)
	if err != nil {
		return err
	}
	if together(x) != "" && cycle.Where != "" {
		cycle.Where = "The pod alone, not PodGroup " + x.report.Gang.Name + ": " + cycle.Where
	}
	if cycle.Where != "" && batches(ctx, x) {
		cycle.Where += " kube-scheduler may take the order of nodes from an equal pod that it scheduled just before (opportunistic batching), so another node is possible."
	}
	x.report.Cycle = cycle
	for _, stage := range cycle.Stages {
		x.report.Trace = append(x.report.Trace, stage.Steps...)
	}
	return nil
}

// batches reports whether kube-scheduler may use the ranking of nodes that it made for an equal pod: its
// plugins can tell that two such pods are equal (OpportunisticBatch of pkg/scheduler/framework/runtime).
// Default topology spreading, which the default profile has, rules that out.
func batches(ctx context.Context, x *explanation) bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.OpportunisticBatching) && x.profile.Framework.SignPod(ctx, x.question.Pod) != nil
}

// walk follows the scheduler for the pod of the explanation, which has answered.
// A pod that has a node is taken off it first.
func (e *Engine) walk(ctx context.Context, x *explanation) (*report.SchedulingCycle, error) {
	y, running := x, x.question.Pod.Spec.NodeName
	if running != "" {
		s := e.scheduler.State.Fork()
		defer s.Revert()
		if _, err := e.scheduler.State.NodeInfos().Get(running); err == nil && !scheduler.Terminal(x.question.Pod) {
			if err := s.RemovePod(x.question.Pod); err != nil {
				return nil, err
			}
		}
		again, err := e.again(ctx, x)
		if err != nil {
			return nil, err
		}
		y = again
	}
	if _, unread := e.scheduler.Forbidden["nodes"]; !unread {
		if _, err := y.evaluate(ctx); err != nil {
			return nil, err
		}
	}
	cycle, err := trace.Of(ctx, trace.Query{
		Profile: y.profile, Question: y.question, Report: y.report, Matrix: y.matrix,
		Gates: y.facts.Gates, GatesUnknown: y.ungated, NoScheduler: y.facts.Scheduler.Why,
		Preemption: y.simulator, Running: running,
	})
	if err != nil {
		return nil, err
	}
	x.report.Unknown, x.report.Scheduler.Caveats = y.report.Unknown, y.report.Scheduler.Caveats
	return cycle, nil
}

// again answers for the pod of an explanation as if it waited for a node. That it has
// one proves that its scheduler took care of it.
func (e *Engine) again(ctx context.Context, x *explanation) (*explanation, error) {
	copied := *x.question.Pod
	copied.Spec.NodeName, copied.Status.NominatedNodeName, copied.DeletionTimestamp = "", "", nil
	y := e.begin(ctx, &copied)
	y.facts.Scheduler = summary.Liveness{Alive: true, Known: true}
	y.facts.Unread = x.facts.Unread
	return y, y.answer(ctx, false)
}
