// Package change says which actions change the cluster, what each applies to, and the
// rights that it takes. Nothing is changed here.
package change

import (
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Actions are the actions that change the cluster, once their box is answered.
var Actions = []keymap.Action{
	keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Label, keymap.Evict, keymap.Annotate, keymap.Ungate, keymap.Scale, keymap.Restart, keymap.Delete,
}

// onNodes are the actions that apply only to nodes, onEither those that apply to
// nodes or pods.
var (
	onNodes  = []keymap.Action{keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint}
	onEither = []keymap.Action{keymap.Label, keymap.Annotate}
)

// ofNodes and ofPods are the actions on each, in the order of the menu.
var (
	ofNodes = []keymap.Action{keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Label, keymap.Annotate}
	ofPods  = []keymap.Action{keymap.Evict, keymap.Label, keymap.Annotate, keymap.Ungate, keymap.Scale, keymap.Restart, keymap.Delete}
)

// OnlyOfNodes says whether an action applies only to nodes.
func OnlyOfNodes(do keymap.Action) bool { return slices.Contains(onNodes, do) }

// For are the actions that apply to objects, in the order of a menu.
func For(t page.Targets) []keymap.Action {
	var all []keymap.Action
	if len(t.Nodes) > 0 {
		all = append(all, ofNodes...)
	}
	if len(t.Pods) > 0 {
		for _, do := range ofPods {
			if !slices.Contains(all, do) {
				all = append(all, do)
			}
		}
	}
	return all
}

// Of are the targets of one action: nodes or pods.
func Of(do keymap.Action, t page.Targets) page.Targets {
	ofPods := t.Around && len(t.Pods) > 0
	switch {
	case OnlyOfNodes(do) && ofPods:
		return page.Targets{Nodes: t.Nodes, Marked: t.Marked}
	case OnlyOfNodes(do), slices.Contains(onEither, do) && len(t.Nodes) > 0 && !ofPods:
		return page.Targets{Nodes: t.Nodes, Marked: t.Marked, Gone: t.Gone}
	}
	return page.Targets{Pods: t.Pods, Marked: t.Marked, Gone: t.Gone}
}

// Lack tells that an action has no target; "" if it has one.
func Lack(do keymap.Action, t page.Targets) string {
	switch {
	case t.Gone != "":
		return t.Gone
	case slices.Contains(onEither, do):
		if len(t.Nodes)+len(t.Pods) == 0 {
			return "nothing is selected."
		}
	case OnlyOfNodes(do) && len(t.Nodes) == 0:
		return "no node is selected."
	case !OnlyOfNodes(do) && len(t.Pods) == 0:
		return "no pod is selected."
	}
	return ""
}

// Already tells that an action would change nothing; "" if it would.
func Already(do keymap.Action, t page.Targets) string {
	as := func(cordoned bool) bool {
		return !slices.ContainsFunc(t.Nodes, func(n *model.Node) bool { return n.Cordoned != cordoned })
	}
	switch {
	case do == keymap.Uncordon && as(false):
		return are(t, "not cordoned")
	case do == keymap.Cordon && as(true):
		return are(t, "already cordoned")
	case len(t.Pods) > 0:
		return unfit(do, t.Pods)
	}
	return ""
}

func are(t page.Targets, how string) string {
	if len(t.Nodes) == 1 {
		return t.Nodes[0].Name + " is " + how + "."
	}
	return t.Names() + " are " + how + "."
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
			return page.Targets{Pods: pods}.Names() + grammar.Agree(len(pods), " is", " are") + " not on a node."
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
