package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// nominator asks who set the pod's nominatedNodeName; nil where it has none, or that is not known.
func (s *sources) nominator(ctx context.Context, pod *corev1.Pod) *report.Nominator {
	if s.options.Nominator == nil || pod.Status.NominatedNodeName == "" || pod.UID == "" {
		return nil
	}
	return s.options.Nominator(ctx, pod)
}

// addNomination fills in the node that the pod is nominated to, who set it, and what kube-scheduler waits for
// before it binds the pod there.
func addNomination(x *explanation, by *report.Nominator) {
	pod := x.question.Pod
	if pod.Status.NominatedNodeName == "" || pod.Spec.NodeName != "" {
		return
	}
	n := &report.Nomination{Node: pod.Status.NominatedNodeName, Waits: []string{}}
	if by != nil {
		n.By, n.Why = by.Manager, by.Unread
		if !by.At.IsZero() {
			n.Since = &by.At
		}
	}
	for _, claim := range plugins.PodClaims(x.question) {
		if claim.IsProvisioned() && claim.SelectedNode() == n.Node {
			n.Waits = append(n.Waits, "the volume of claim "+claim.Name+" to be provisioned")
		}
	}
	n.Waits = append(n.Waits, plugins.AwaitedDevices(x.question)...)
	x.report.Nomination = n
}
