package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
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
	w := &stages{explanation: x}
	if pod := x.question.Pod; pod.Spec.NodeName != "" {
		w.way.Running = pod.Spec.NodeName
		s := x.scheduler.State.Fork()
		defer s.Revert()
		if _, err := x.scheduler.State.NodeInfos().Get(pod.Spec.NodeName); err == nil && !scheduler.Terminal(pod) {
			if err := s.RemovePod(pod); err != nil {
				return nil, err
			}
		}
		again, err := x.again(ctx, pod)
		if err != nil {
			return nil, err
		}
		w.explanation = again
	}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	w.way.Where = w.where()
	x.report.Unknown, x.report.Scheduler.Caveats = w.report.Unknown, w.report.Scheduler.Caveats
	return &w.way, nil
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

// stages is a scheduling cycle in the making.
type stages struct {
	*explanation
	way      report.SchedulingCycle
	m        *scheduler.Matrix
	alive    []int          // nodes of m that nothing has refused so far
	feasible []fwk.NodeInfo // those of them that fit for sure
	beyond   bool           // the only one left is the nominated node, which PreFilter leaves out
	end      string         // why the way does not go on; "" while it does
	none     bool           // no node fits, for sure
}

// run goes from stage to stage. Where the cycle ends, what comes after is not
// reached, and says why.
func (w *stages) run(ctx context.Context) error {
	if why, unread := w.scheduler.Forbidden["nodes"]; unread {
		w.m = &scheduler.Matrix{}
		w.queue()
		w.blind(why)
		return nil
	}
	var err error
	if w.m, err = w.evaluate(ctx); err != nil {
		return err
	}
	for i := range w.m.Nodes {
		w.alive = append(w.alive, i)
	}
	w.queue()
	w.preFilter()
	w.filter(ctx)
	w.postFilter()
	if err := w.score(ctx); err != nil {
		return err
	}
	w.bind()
	return nil
}

// blind leaves all stages after the queue open.
func (w *stages) blind(why string) {
	for _, name := range []string{report.StagePreFilter, report.StageFilter, report.StagePostFilter, report.StageScore, report.StageBind} {
		stage := report.Stage{Name: name, Outcome: report.Open, Words: "Unknown: " + why + "."}
		if w.end != "" {
			stage = w.unreached(name)
		}
		w.add(stage)
	}
}

// unreached is a stage that the cycle does not come to.
func (w *stages) unreached(name string) report.Stage {
	return report.Stage{Name: name, Outcome: report.Unreached, From: len(w.alive), To: len(w.alive), Words: "Not reached: " + w.end + "."}
}

// add puts a stage to the cycle.
func (w *stages) add(s report.Stage) { w.way.Stages = append(w.way.Stages, s) }

// step is a step of a plugin that has refused none of the nodes that are left.
func (w *stages) step(stage, plugin string) report.Step {
	return report.Step{Stage: stage, Plugin: plugin, Asked: len(w.alive), Refused: new(0), Left: len(w.alive), Scores: []report.NodeScore{}, Outcome: report.Passed}
}
