package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// opener opens what there is about a selection, or says why it cannot.
type opener struct{ app *App }

// actOn does what a selection of any list allows.
func (o *opener) actOn(do keymap.Action, on selection) tea.Cmd {
	switch do {
	case keymap.Describe:
		return o.app.history.open(newLoading(o.app, []string{on.ref.Resource, on.ref.Name, "describe"},
			"As kubectl describe "+on.ref.Resource+" says it.", o.describe(on.ref)))
	case keymap.YAML:
		return o.app.history.open(newLoading(o.app, []string{on.ref.Resource, on.ref.Name, "YAML"},
			o.yamlWords(), o.yaml(on.ref)))
	default:
		switch {
		case do == keymap.Explain && on.node != nil:
			return o.app.history.open(newNotHere(o.app, on.node.Name))
		case on.pod != nil:
			return o.actOnPod(do, on.pod)
		}
	}
	return nil
}

// actOnPod opens what there is about a pod.
func (o *opener) actOnPod(do keymap.Action, pod *model.Pod) tea.Cmd {
	switch do {
	case keymap.Open, keymap.Explain:
		return o.app.history.open(newWhy(o.app, pod))
	case keymap.Fixes:
		return o.app.history.open(newFixes(o.app, pod, fixing{}, 0))
	case keymap.Preempt:
		return o.app.history.open(newPreemption(o.app, pod))
	case keymap.Trace:
		return o.app.history.open(newTrace(o.app, pod))
	case keymap.Words:
		return o.app.history.open(newWords(o.app, pod, nil))
	case keymap.GoNode:
		return o.goNode(nodeOf(pod))
	}
	return nil
}

// aboutVerdicts are the pages that rest on verdicts: they wait until all is read.
var aboutVerdicts = []keymap.Action{keymap.Open, keymap.Explain, keymap.Fixes, keymap.Preempt, keymap.Trace, keymap.Words}

// ofRefused are the actions on a pod that make sense where it does not exist.
var ofRefused = []keymap.Action{keymap.Open, keymap.Explain, keymap.Fixes, keymap.Describe, keymap.YAML, keymap.Words}

// offPod tells why an action cannot be done on a pod.
func (o *opener) offPod(do keymap.Action, gone bool, on selection) string {
	if do != keymap.Describe && do != keymap.YAML && do != keymap.GoNode && !slices.Contains(aboutVerdicts, do) {
		return ""
	}
	switch {
	case on.pod == nil:
		return "no pod is selected."
	case gone:
		return on.copy + " is gone."
	case o.app.observed.isReading() && slices.Contains(aboutVerdicts, do):
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
func (o *opener) podName(p *model.Pod) table.Cell {
	if o.app.namespace() != "" {
		return table.Cell{Text: p.Name()}
	}
	return table.Cell{Text: p.FullName()}
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
