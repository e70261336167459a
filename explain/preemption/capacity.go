package preemption

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
)

// room is the sum that decides on node i, and the resource that is shortest
// there: cpu where the node has enough of everything.
func (p *planning) room(i int, victims []*corev1.Pod) (sum, resource string) {
	k := p.profile.IndexOf(names.NodeResourcesFit)
	if k < 0 || p.matrix.Rejects(k, i) == nil {
		return p.obstacles(i), string(corev1.ResourceCPU)
	}
	figures := plugins.Shortages(p.question, p.matrix.Rejection(k, i))
	var all, wants []string
	for _, f := range figures {
		var freed int64
		for _, victim := range victims {
			freed += p.held(victim, f.Resource)
		}
		free := f.Allocatable - f.Requested
		all = append(all, fmt.Sprintf("free %s %s + %s from its victims = %s", f.Resource,
			quantity.RoundedDown(f.Resource, free), quantity.RoundedDown(f.Resource, freed), quantity.RoundedDown(f.Resource, free+freed)))
		wants = append(wants, quantity.RoundedUp(f.Resource, f.Wanted))
	}
	if len(figures) == 0 {
		return p.obstacles(i), string(corev1.ResourceCPU)
	}
	return strings.Join(all, ", ") + "; the pod requests " + strings.Join(wants, " and "), string(figures[0].Resource)
}

// obstacles are the reasons on node i that are removed with the victims.
func (p *planning) obstacles(i int) string {
	var all []string
	for k := range p.profile.Plugins {
		if p.matrix.Rejects(k, i) != nil {
			all = append(all, plugins.Tell(p.question, []plugins.NodeRejection{p.matrix.Rejection(k, i)}).Short)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "removed with its victims: " + strings.Join(all, "; ")
}

// held is what the scheduler counts for a pod on a node of one resource.
func (p *planning) held(pod *corev1.Pod, resource corev1.ResourceName) int64 {
	node, err := p.scheduler.State.NodeInfos().Get(pod.Spec.NodeName)
	if err != nil {
		return 0
	}
	at := slices.IndexFunc(node.GetPods(), func(info fwk.PodInfo) bool { return info.GetPod().UID == pod.UID })
	if at < 0 {
		return 0
	}
	return plugins.Held(node.GetPods()[at], resource)
}
