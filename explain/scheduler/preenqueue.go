package scheduler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// GateAnswer is what one PreEnqueue plugin says of a pod.
type GateAnswer struct {
	Plugin  string
	Status  *fwk.Status          // nil where the plugin failed
	Unknown []report.UnknownPart // what its answer rests on and could not be read, or its failure
	Failed  bool
}

// PreEnqueue runs the plugins that keep a pod out of the scheduler's queue.
func (p *Profile) PreEnqueue(ctx context.Context, pod *corev1.Pod) []GateAnswer {
	answers := make([]GateAnswer, 0, len(p.Gates))
	for _, gate := range p.Gates {
		var a Answer
		p.unreadable().reset()
		status, err := askGate(ctx, gate, pod)
		p.noteReads(&a)
		if err != nil {
			a.leaveOpen(PluginError, err.Error())
		}
		answers = append(answers, GateAnswer{gate.Name(), status, a.Parts(gate.Name()), err != nil})
	}
	return answers
}

// HasGate says whether a PreEnqueue plugin is part of the profile.
func (p *Profile) HasGate(gate string) bool {
	for _, plugin := range p.Gates {
		if plugin.Name() == gate {
			return true
		}
	}
	return false
}

// askGate asks one gate; a panic comes back as an error.
func askGate(ctx context.Context, p fwk.PreEnqueuePlugin, pod *corev1.Pod) (status *fwk.Status, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = newPanicked(r)
		}
	}()
	return p.PreEnqueue(ctx, pod), nil
}
