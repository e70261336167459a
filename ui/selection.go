package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// actOn does what a selection of any list allows.
func (a *App) actOn(do keymap.Action, on selection) tea.Cmd {
	switch do {
	case keymap.Describe:
		return a.open(newLoading(a, []string{on.ref.Resource, on.ref.Name, "describe"},
			"As kubectl describe "+on.ref.Resource+" says it.", a.describe(on.ref)))
	case keymap.YAML:
		return a.open(newLoading(a, []string{on.ref.Resource, on.ref.Name, "YAML"},
			a.yamlWords(), a.yaml(on.ref)))
	default:
		switch {
		case do == keymap.Explain && on.node != nil:
			return a.open(newNotHere(a, on.node.Name))
		case on.pod != nil:
			return a.actOnPod(do, on.pod)
		}
	}
	return nil
}

// actOnPod opens what there is about a pod.
func (a *App) actOnPod(do keymap.Action, pod *model.Pod) tea.Cmd {
	switch do {
	case keymap.Open, keymap.Explain:
		return a.open(newWhy(a, pod))
	case keymap.Fixes:
		return a.open(newFixes(a, pod, fixing{}, 0))
	case keymap.Preempt:
		return a.open(newPreemption(a, pod))
	case keymap.Trace:
		return a.open(newTrace(a, pod))
	case keymap.Words:
		return a.open(newWords(a, pod, nil))
	case keymap.GoNode:
		return a.goNode(nodeOf(pod))
	}
	return nil
}

// aboutVerdicts are the pages that rest on verdicts: they wait until all is read.
var aboutVerdicts = []keymap.Action{keymap.Open, keymap.Explain, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Words}

// ofRefused are the actions on a pod that make sense where it does not exist.
var ofRefused = []keymap.Action{keymap.Open, keymap.Explain, keymap.Fixes, keymap.Describe, keymap.YAML, keymap.Words}

// offPod tells why an action cannot be done on a pod.
func (a *App) offPod(do keymap.Action, gone bool, on selection) string {
	if do != keymap.Describe && do != keymap.YAML && do != keymap.GoNode && !slices.Contains(aboutVerdicts, do) {
		return ""
	}
	switch {
	case on.pod == nil:
		return "no pod is selected."
	case gone:
		return on.copy + " is gone."
	case a.isReading() && slices.Contains(aboutVerdicts, do):
		return "verdicts follow when all lists are in."
	}
	return offThisPod(do, on.pod, on.copy)
}

// offThisPod is offPod for what depends on how far the pod is.
func offThisPod(do keymap.Action, pod *model.Pod, name string) string {
	placed := pod.Object.Spec.NodeName != ""
	switch {
	case !pod.Exists() && !slices.Contains(ofRefused, do):
		return "no pod of " + name + " was created."
	case do == keymap.Preempt && placed:
		return name + " has a node: preemption is for pods without one."
	case do == keymap.Fixes && placed:
		return name + " has a node: fixes are for pods without one."
	case do == keymap.GoNode && nodeOf(pod) == "":
		return name + " has no node yet."
	}
	return ""
}

// podIn is the pod as the snapshot has it, for a page about it. One that is not
// there any more stays as it was, and is gone once everything is read.
func podIn(s *model.Snapshot, pod *model.Pod) (now *model.Pod, gone bool) {
	now, ok := s.PodNamed(pod.Object.Namespace, pod.Object.Name)
	if ok && now.Object.UID == pod.Object.UID {
		return now, false
	}
	return pod, pod.Object.Name != "" && len(s.Status.Reading) == 0 && s.Revision > 0
}

// nodeOf is the node that a pod is on, else the one that it is nominated to.
func nodeOf(p *model.Pod) string {
	return cmp.Or(p.Object.Spec.NodeName, p.Object.Status.NominatedNodeName)
}

// podName is a pod's name, with its namespace where more than one is shown.
func (a *App) podName(p *model.Pod) table.Cell {
	if a.namespace() != "" {
		return table.Cell{Text: p.Name()}
	}
	return table.Cell{Text: p.FullName()}
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
