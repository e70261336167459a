package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// changers are the actions that change the cluster, once their box is answered.
var changers = []keymap.Action{
	keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Label, keymap.Evict, keymap.Annotate, keymap.Ungate, keymap.Scale, keymap.Restart, keymap.Delete,
}

// change begins an action that changes the cluster: its missing arguments are
// typed, then it is planned.
func (c *acts) change(do keymap.Action, t targets) tea.Cmd {
	switch do {
	case keymap.Cordon, keymap.Uncordon:
		return c.plan(plan.Cordon{Nodes: nodeNames(t.nodes), Off: do == keymap.Uncordon})
	case keymap.Drain:
		if jobs := c.app.jobs.draining(t.nodes); len(jobs) > 0 {
			return c.app.jobs.openDraining(jobs)
		}
		return c.plan(plan.Drain{Nodes: nodeNames(t.nodes), AtOnce: 1})
	case keymap.Taint:
		return c.editTaints(t.nodes)
	case keymap.Label:
		return c.editLabels(t)
	case keymap.Annotate:
		return c.editAnnotations(t)
	}
	return c.changePods(do, t.pods)
}

// changePods begins an action on pods, or on their workload.
func (c *acts) changePods(do keymap.Action, pods []*model.Pod) tea.Cmd {
	switch do {
	case keymap.Evict:
		return c.plan(plan.Evict{Pods: podRefs(pods)})
	case keymap.Ungate:
		return c.plan(plan.Ungate{Pods: podRefs(pods)})
	case keymap.Delete:
		return c.plan(plan.Delete{Pod: pods[0].Ref()})
	case keymap.Scale:
		return c.editReplicas(workload(pods[0], "/scale"), pods[0].Owner)
	case keymap.Restart:
		return c.plan(plan.Restart{Ref: workload(pods[0], ""), At: c.app.observed.At.UTC()})
	}
	return nil
}

// workload names the workload of a pod, or a part of it.
func workload(pod *model.Pod, part string) model.Ref {
	return model.Ref{
		Resource: strings.ToLower(pod.Owner.Kind) + "s" + part, Namespace: pod.Object.Namespace, Name: pod.Owner.Name,
	}
}

// scales and restarts are the kinds of workloads that can be.
var (
	scales   = []string{"Deployment", "StatefulSet", "ReplicaSet"}
	restarts = []string{"Deployment", "StatefulSet", "DaemonSet"}
)

// unfit tells why an action does not apply to these pods; "" if it does.
func unfit(do keymap.Action, pods []*model.Pod) string {
	switch do {
	case keymap.Evict:
		if !slices.ContainsFunc(pods, (*model.Pod).Bound) {
			return targets{pods: pods}.names() + grammar.Agree(len(pods), " is", " are") + " not on a node."
		}
	case keymap.Ungate:
		if !slices.ContainsFunc(pods, func(p *model.Pod) bool { return len(p.Object.Spec.SchedulingGates) > 0 }) {
			return grammar.Agree(len(pods), "it has", "they have") + " no scheduling gate."
		}
	case keymap.Delete:
		return undeletable(pods)
	case keymap.Scale:
		return unfitWorkload(pods, scales, "scaled")
	case keymap.Restart:
		return unfitWorkload(pods, restarts, "restarted")
	}
	return ""
}

// undeletable tells why pods are not deleted: those of a controller are evicted.
func undeletable(pods []*model.Pod) string {
	if len(pods) > 1 {
		return "only one pod at a time."
	}
	switch owner := pods[0].Owner; {
	case owner.Name != "" && !pods[0].Bound():
		return fmt.Sprintf("it belongs to %s: scale or delete that.", owner)
	case owner.Name != "":
		return fmt.Sprintf("%s owns it: e evicts it.", owner)
	}
	return ""
}

// unfitWorkload tells why the pods' workload cannot be scaled or restarted.
func unfitWorkload(pods []*model.Pod, kinds []string, done string) string {
	first := pods[0]
	for _, pod := range pods {
		if pod.Owner.Kind != first.Owner.Kind || pod.Owner.Name != first.Owner.Name || pod.Object.Namespace != first.Object.Namespace {
			return "they belong to more than one workload."
		}
	}
	switch {
	case first.Owner.Name == "":
		return "no controller owns it."
	case !slices.Contains(kinds, first.Owner.Kind):
		return fmt.Sprintf("a %s cannot be %s.", model.Clean(first.Owner.Kind), done)
	}
	return ""
}
