package explain

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// landAll finds out what would become of the victims: on the node that the
// scheduler takes, on the one that is asked about, and on others as far as that
// is cheap.
func (p *planning) landAll(ctx context.Context, asked string) error {
	left := landOthers
	for i := range p.plan.Nodes {
		node := &p.plan.Nodes[i]
		cost := len(node.Victims) * len(p.matrix.nodes)
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
	s := p.fork()
	defer s.revert()
	for _, victim := range pods {
		if err := s.without(victim); err != nil {
			return err
		}
	}
	// A nominated pod counts where it is nominated to: it is to count once.
	if info := p.unnominate(p.question.Pod); info != nil {
		defer p.nominator.AddNominatedPod(p.logger, info, nil)
	}
	if err := s.with(p.question.Pod, node.Name); err != nil {
		return err
	}
	for i, victim := range pods {
		told := &node.Victims[i].Victim
		if i*len(p.matrix.nodes) > landAtMost {
			told.Afterwards = "not looked into: too many pods"
			continue
		}
		found, said, err := p.landOne(ctx, s, victim)
		if err != nil {
			return err
		}
		told.LandsOn, told.Afterwards = found, said
	}
	node.Landed = true
	return nil
}

// landOne puts the victim's successor where it would go.
func (p *planning) landOne(ctx context.Context, s *fork, victim *corev1.Pod) (node, said string, err error) {
	owner := metav1.GetControllerOf(victim)
	switch {
	case owner == nil:
		return "", "is lost: no controller owns it", nil
	case plan.RecreationUnknown(victim) != "":
		return "", "unknown: " + plan.RecreationUnknown(victim), nil
	case owner.Kind == "Node":
		return "", "a static pod: the kubelet of " + victim.Spec.NodeName + " decides", nil
	}
	found, err := p.landing(ctx, victim)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("place %s: %w", plugins.FullName(victim), err)
	case found.open:
		return "", "unknown: not all that decides could be read", nil
	case found.node == "" && owner.Kind == "DaemonSet":
		return "", "Pending: its DaemonSet keeps it on " + victim.Spec.NodeName, nil
	case found.node == "":
		return "", "Pending: " + found.why, nil
	}
	return found.node, found.words(), s.with(asNewPod(victim), found.node)
}

// words say where the pod lands.
func (l placement) words() string {
	switch {
	case l.likely:
		return "likely lands on " + l.node
	case len(l.tie) > grammar.Few:
		return fmt.Sprintf("lands on %s or %d others alike", l.node, len(l.tie)-1)
	case len(l.tie) > 1:
		return "lands on " + strings.Join(l.tie, " or ")
	}
	return "lands on " + l.node
}

// unnominate takes the pod off the node that it is nominated to; nil where it is
// nominated to none.
func (e *Engine) unnominate(pod *corev1.Pod) fwk.PodInfo {
	for _, info := range e.nominator.NominatedPodsForNode(pod.Status.NominatedNodeName) {
		if info.GetPod().UID == pod.UID {
			e.nominator.DeleteNominatedPodIfExists(pod)
			return info
		}
	}
	return nil
}
