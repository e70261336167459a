// Package message says what kube-scheduler writes about a pod that fits no node, in its
// own words or those of the cluster's version, and whether that is what it wrote last.
package message

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// noNodes is what the scheduler writes when there is no node at all
// (scheduler.ErrNoNodesAvailable; the package would bring the whole scheduler in).
const noNodes = "no nodes available to schedule pods"

// Of repeats Scheduler.schedulingAlgorithm on the answers of the plugins. The cluster's
// version may be "".
func Of(ctx context.Context, simulator preemption.Simulator, clusterVersion string, m *scheduler.Matrix, pod *corev1.Pod) (preemption.Outcome, error) {
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
	o, err := simulator.PostFilter(ctx, m, pod, d)
	if err != nil || o.Open != nil {
		return o, err
	}
	o.Legacy = legacyMessages(simulator, clusterVersion, m, pod, d, o)
	d.Fit.Diagnosis.PostFilterMsg = o.Message
	o.Message = d.Fit.Error()
	return o, nil
}
