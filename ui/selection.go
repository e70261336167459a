package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// actOn does what a selection of any list allows.
func (a *App) actOn(do action, on selection) tea.Cmd {
	switch do {
	case doOpen, doWhy:
		if on.pod != nil {
			return a.open(newWhy(a, on.pod))
		}
	case doFixes:
		if on.pod != nil {
			return a.open(newFixes(a, on.pod, fixing{}, 0))
		}
	case doPreempt:
		if on.pod != nil {
			return a.open(newPreemption(a, on.pod))
		}
	case doTrace:
		if on.pod != nil {
			return a.open(newTrace(a, on.pod))
		}
	case doWords:
		if on.pod != nil {
			return a.open(newWords(a, on.pod, nil))
		}
	case doNotHere:
		if on.node != nil {
			return a.open(newNotHere(a, on.node.Name))
		}
	case doGoNode:
		if on.pod != nil {
			return a.goNode(nodeOf(on.pod))
		}
	case doDescribe:
		return a.open(newLoading(a, []string{on.ref.Resource, on.ref.Name, "describe"},
			"As kubectl describe "+on.ref.Resource+" says it.", a.describe(on.ref)))
	case doYAML:
		return a.open(newLoading(a, []string{on.ref.Resource, on.ref.Name, "YAML"},
			"The live object, without its managed fields.", a.yaml(on.ref)))
	}
	return nil
}

// offPod tells why an action cannot be done on a pod.
func (a *App) offPod(do action, gone bool, on selection) string {
	switch do {
	case doOpen, doWhy, doDescribe, doYAML, doFixes, doPreempt, doTrace, doWords, doGoNode:
	default:
		return ""
	}
	switch {
	case on.pod == nil:
		return "no pod is selected."
	case gone:
		return on.copy + " is gone."
	case a.isReading() && (do == doOpen || do == doWhy || do == doFixes || do == doPreempt || do == doTrace || do == doWords):
		return "verdicts follow when all lists are in."
	case (do == doPreempt || do == doTrace) && on.pod.Object.Name == "":
		return "the pod was not created."
	case do == doPreempt && on.pod.Object.Spec.NodeName != "":
		return on.copy + " has a node: preemption is for pods without one."
	case do == doFixes && on.pod.Object.Spec.NodeName != "":
		return on.copy + " has a node: fixes are for pods without one."
	case do == doGoNode && nodeOf(on.pod) == "":
		return on.copy + " has no node yet."
	}
	return ""
}

// nodeOf is the node that a pod is on, else the one that it is nominated to.
func nodeOf(p *model.Pod) string {
	return cmp.Or(p.Object.Spec.NodeName, p.Object.Status.NominatedNodeName)
}

// podName is a pod's name, with its namespace where more than one is shown.
func (a *App) podName(p *model.Pod) cell {
	if a.namespace() != "" {
		return cell{text: p.Object.Name}
	}
	return cell{text: p.FullName()}
}

// nodeName is a node's name without the domain that all nodes share.
func (a *App) nodeName(name string) string {
	return strings.TrimSuffix(name, a.domain)
}

// brief is text of our own with the nodes named as nodeName does.
func (a *App) brief(text string) string {
	return model.Clean(withoutDomain(text, a.domain))
}

// withoutDomain leaves the domain that all nodes share out of a text.
func withoutDomain(text, domain string) string {
	if domain == "" {
		return text
	}
	return strings.ReplaceAll(text, domain, "")
}

// sharedDomain is what stands after the first dot of every node's name, with
// the dot; "" unless it is the same for all.
func sharedDomain(nodes []*model.Node) string {
	if len(nodes) == 0 {
		return ""
	}
	at := strings.IndexByte(nodes[0].Name, '.')
	if at <= 0 {
		return ""
	}
	domain := nodes[0].Name[at:]
	for _, n := range nodes {
		if strings.IndexByte(n.Name, '.') <= 0 || !strings.HasSuffix(n.Name, domain) {
			return ""
		}
	}
	return domain
}

// limits are a pod's or a node's limits of cpu and memory; – is none.
func limits(r model.Resources) string {
	cpu, bytes := "–", "–"
	if r.MilliCPU > 0 {
		cpu = cores(r.MilliCPU)
	}
	if r.Memory > 0 {
		bytes = memory(r.Memory)
	}
	return cpu + " " + bytes
}

// saidByScheduler is the message of the PodScheduled condition.
func saidByScheduler(p *model.Pod) string {
	for i := range p.Object.Status.Conditions {
		if c := &p.Object.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			return c.Message
		}
	}
	return ""
}
