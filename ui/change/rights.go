package change

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// patchNodes is the right that every change of a node takes.
var patchNodes = model.Right{Verb: "patch", Resource: "nodes"}

// Rights are the rights that an action takes.
func Rights(do keymap.Action, t page.Targets) []model.Right {
	evict := model.Right{Verb: "create", Resource: "pods/eviction"}
	t = Of(do, t)
	switch do {
	case keymap.Cordon, keymap.Uncordon, keymap.Taint:
		return []model.Right{patchNodes}
	case keymap.Drain:
		return []model.Right{patchNodes, evict}
	case keymap.Label, keymap.Annotate:
		if len(t.Nodes) > 0 {
			return []model.Right{patchNodes}
		}
		return inNamespaces(t.Pods, model.Right{Verb: "patch", Resource: "pods"})
	case keymap.Evict:
		return inNamespaces(t.Pods, evict)
	case keymap.Ungate:
		return inNamespaces(t.Pods, model.Right{Verb: "patch", Resource: "pods"})
	case keymap.Delete:
		return inNamespaces(t.Pods, model.Right{Verb: "delete", Resource: "pods"})
	case keymap.Scale, keymap.Restart:
		return workloadRights(do, t.Pods)
	}
	return nil
}

// workloadRights are those that a change of the pods' workload takes.
func workloadRights(do keymap.Action, pods []*model.Pod) []model.Right {
	if pods[0].Owner.Name == "" {
		return nil
	}
	right := model.Right{Verb: "patch", Group: "apps", Resource: strings.ToLower(pods[0].Owner.Kind) + "s"}
	if do == keymap.Scale {
		right.Verb = "update"
		right.Resource += "/scale"
	}
	return inNamespaces(pods[:1], right)
}

// inNamespaces is a right in each of the namespaces of pods.
func inNamespaces(pods []*model.Pod, right model.Right) []model.Right {
	var rights []model.Right
	for _, pod := range pods {
		right.Namespace = pod.Object.Namespace
		if !slices.Contains(rights, right) {
			rights = append(rights, right)
		}
	}
	return rights
}
