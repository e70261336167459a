// Package trace follows the scheduling cycle of a pod stage by stage, from what the
// plugins answered.
package trace

import (
	"context"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Query is the pod whose scheduling cycle is followed, and what was found out about it.
type Query struct {
	// Profile is the scheduler's, whose plugins run.
	Profile *scheduler.Profile
	// Question is the pod without a node.
	Question *plugins.Question
	// Report has the verdict on the pod. It learns what scores rest on that could not
	// be read.
	Report *report.Report
	// Matrix is what the plugins say of the nodes; nil where nodes may not be read.
	Matrix *scheduler.Matrix
	// Gates are the rejections of PreEnqueue plugins.
	Gates []plugins.GateRejection
	// GatesUnknown says that something that gates the pod could not be read.
	GatesUnknown bool
	// NoScheduler is why no scheduler handles the pod, where the verdict is
	// NotConsidered.
	NoScheduler string
	// Preemption simulates preemption for the profile.
	Preemption preemption.Simulator
	// Running is the node that the pod was taken off; "" for a pod that waits.
	Running string
}

// Of follows the scheduler for a pod, stage by stage, and says where it would be
// scheduled; of one that has a node, why it is there.
func Of(ctx context.Context, q Query) (*report.SchedulingCycle, error) {
	w := &stages{Query: q, cycle: report.SchedulingCycle{Running: q.Running}}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	w.cycle.Where = w.where()
	return &w.cycle, nil
}

// stages is a scheduling cycle in the making.
type stages struct {
	Query
	cycle    report.SchedulingCycle
	alive    []int          // nodes of Matrix that nothing has refused so far
	feasible []fwk.NodeInfo // those of them that fit for sure
	beyond   bool           // the only one left is the nominated node, which PreFilter leaves out
	end      string         // why the cycle does not go on; "" while it does
	none     bool           // no node fits, for sure
}

// run goes from stage to stage. Where the cycle ends, what comes after is not
// reached, and says why.
func (w *stages) run(ctx context.Context) error {
	if why, unread := w.Profile.Scheduler.Forbidden["nodes"]; unread {
		w.Matrix = &scheduler.Matrix{}
		w.queue()
		w.blind(why)
		return nil
	}
	for i := range w.Matrix.Nodes {
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
func (w *stages) add(s report.Stage) { w.cycle.Stages = append(w.cycle.Stages, s) }

// step is a step of a plugin that has refused none of the nodes that are left.
func (w *stages) step(stage, plugin string) report.Step {
	return report.Step{Stage: stage, Plugin: plugin, Asked: len(w.alive), Rejected: new(0), Left: len(w.alive), Scores: []report.NodeScore{}, Outcome: report.Passed}
}
