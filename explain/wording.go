package explain

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// fullName is namespace/name.
func fullName(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// name is the refused node's; "" where all nodes were refused at once.
func (r refused) name() string {
	if r.node == nil {
		return ""
	}
	return r.node.Node().Name
}

// ownReason is what the plugin itself said. NodeResourcesFit names extended
// resources in the order of a map, another one each time: here they are sorted.
func (r refused) ownReason() string {
	reasons := r.status.Reasons()
	if r.plugin == names.NodeResourcesFit {
		reasons = slices.Sorted(slices.Values(reasons))
	}
	return strings.Join(reasons, ", ")
}

// reasonOnly leaves the plugin's own reason standing.
func reasonOnly(rs []refused) words {
	return words{What: sentences(rs, refused.ownReason), Short: rs[0].ownReason()}
}

// nominees says which pods count on r's node though they are not bound there.
func (r refused) nominees() string {
	if len(r.nominated) == 0 {
		return ""
	}
	var names []string
	for _, pod := range r.nominated {
		names = append(names, fullName(pod.GetPod()))
	}
	return " (counting " + grammar.List(names, grammar.Many) + ", nominated there)"
}

// sentences tells the refusals node by node. Nodes with equal sentences share
// one, and no more than manyNames nodes are named.
func sentences(rs []refused, sentence func(refused) string) string {
	var order []string
	nodes := map[string][]string{}
	for _, r := range rs[:min(len(rs), grammar.Many)] {
		said := sentence(r) + r.nominees()
		if !slices.Contains(order, said) {
			order = append(order, said)
		}
		nodes[said] = append(nodes[said], r.name())
	}
	var all []string
	for _, said := range order {
		if names := strings.Join(nodes[said], ", "); names != "" {
			said = names + ": " + said
		}
		all = append(all, said)
	}
	if rest := len(rs) - grammar.Many; rest > 0 {
		all = append(all, "And "+grammar.Plural(rest, "more node"))
	}
	return strings.Join(all, ". ")
}

// withNames puts the nodes before a clause that holds for each of them: a few,
// and as many as a sentence has.
func withNames(rs []refused, clause string) []string {
	wider := []string{listNodes(rs, grammar.Few) + ": " + clause}
	if len(rs) > grammar.Few {
		wider = append(wider, listNodes(rs, grammar.Many)+": "+clause)
	}
	return wider
}

// listNodes is list of the nodes' names.
func listNodes(rs []refused, limit int) string {
	names := make([]string, 0, limit)
	for _, r := range rs[:min(len(rs), limit)] {
		names = append(names, r.name())
	}
	said := strings.Join(names, ", ")
	if rest := len(rs) - len(names); rest > 0 {
		said += fmt.Sprintf(" and %d more", rest)
	}
	return said
}

// labelWord is a label's key as people say it: without the domains that
// Kubernetes itself owns.
func labelWord(key string) string {
	for _, domain := range []string{"topology.kubernetes.io/", "kubernetes.io/", "node.kubernetes.io/"} {
		if word, ok := strings.CutPrefix(key, domain); ok {
			return word
		}
	}
	return key
}
