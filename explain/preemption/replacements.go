package preemption

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// landAll finds out where the victims would be rescheduled: on the node that the
// scheduler takes, on the one that is asked about, and on others as far as that
// is cheap.
func (p *planning) landAll(ctx context.Context, asked string) error {
	left := landOthers
	for i := range p.plan.Nodes {
		node := &p.plan.Nodes[i]
		cost := len(node.Victims) * len(p.matrix.Nodes)
		wanted := node.Name == p.plan.Node || node.Name == asked
		if node.Victims == nil || (!wanted && cost > left) {
			continue
		}
		if !wanted {
			left -= cost
		}
		if err := p.land(ctx, node); err != nil {
			return err
		}
	}
	return nil
}

// land supposes that the pod is on the node and the victims are gone, and asks
// where the successors of those would go, one after the other.
func (p *planning) land(ctx context.Context, node *report.PreemptionNode) error {
	pods := p.pods[node.Name]
	s := p.scheduler.State.Fork()
	defer s.Revert()
	for _, victim := range pods {
		if err := s.RemovePod(victim); err != nil {
			return err
		}
	}
	// A nominated pod counts where it is nominated to: it is to count once.
	defer p.scheduler.State.Unnominate(p.question.Pod)()
	if err := s.AddPod(p.question.Pod, node.Name); err != nil {
		return err
	}
	for i, victim := range pods {
		told := &node.Victims[i].Victim
		if i*len(p.matrix.Nodes) > landAtMost {
			told.Afterwards = "not simulated: too many pods"
			continue
		}
		found, said, err := p.landOne(ctx, s, victim)
		if err != nil {
			return err
		}
		told.RescheduledOn, told.Afterwards = found, said
	}
	node.Landed = true
	return nil
}

// landOne puts the victim's successor where it would be scheduled.
func (p *planning) landOne(ctx context.Context, s *scheduler.Fork, victim *corev1.Pod) (node, said string, err error) {
	owner := metav1.GetControllerOf(victim)
	switch {
	case owner == nil:
		return "", "not recreated: no controller owns it", nil
	case plan.RecreationUnknown(victim) != "":
		return "", "unknown: " + plan.RecreationUnknown(victim), nil
	case owner.Kind == "Node":
		return "", "a static pod: the kubelet of " + victim.Spec.NodeName + " keeps it running", nil
	}
	found, err := placement.Of(ctx, p.scheduler, victim)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("place %s: %w", plugins.FullName(victim), err)
	case found.Open:
		return "", placement.Unreadable, nil
	case found.Node == "" && owner.Kind == "DaemonSet":
		return "", "Pending: its DaemonSet pins it to " + victim.Spec.NodeName, nil
	case found.Node == "":
		return "", "Pending: " + found.Why, nil
	}
	return found.Node, found.Words(), s.AddPod(placement.AsNewPod(victim), found.Node)
}
