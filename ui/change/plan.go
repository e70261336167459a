package change

import (
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// NodeNames are the names of nodes.
func NodeNames(nodes []*model.Node) []string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = node.Name
	}
	return names
}

// podRefs name these very pods.
func podRefs(pods []*model.Pod) []model.Ref {
	refs := make([]model.Ref, len(pods))
	for i, pod := range pods {
		refs[i] = pod.Ref()
	}
	return refs
}

// Workload names the workload of a pod, or a part of it.
func Workload(pod *model.Pod, part string) model.Ref {
	return model.Ref{
		Resource: strings.ToLower(pod.Owner.Kind) + "s" + part, Namespace: pod.Object.Namespace, Name: pod.Owner.Name,
	}
}

// Planned is the action on objects at a time, where nothing of it is typed; nil else.
func Planned(do keymap.Action, t page.Targets, at time.Time) plan.Action {
	switch do {
	case keymap.Cordon, keymap.Uncordon:
		return plan.Cordon{Nodes: NodeNames(t.Nodes), Off: do == keymap.Uncordon}
	case keymap.Drain:
		return plan.Drain{Nodes: NodeNames(t.Nodes), AtOnce: 1}
	case keymap.Evict:
		return plan.Evict{Pods: podRefs(t.Pods)}
	case keymap.Ungate:
		return plan.Ungate{Pods: podRefs(t.Pods)}
	case keymap.Delete:
		return plan.Delete{Pod: t.Pods[0].Ref()}
	case keymap.Restart:
		return plan.Restart{Ref: Workload(t.Pods[0], ""), At: at}
	}
	return nil
}
