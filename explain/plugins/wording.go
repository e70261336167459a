package plugins

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// FullName is namespace/name.
func FullName(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// Name is the refused node's; "" where all nodes were refused at once.
func (r Refused) Name() string {
	if r.Node == nil {
		return ""
	}
	return r.Node.Node().Name
}

// OwnReason is what the plugin itself said. NodeResourcesFit names extended
// resources in the order of a map, another one each time: here they are sorted.
func (r Refused) OwnReason() string {
	reasons := r.Status.Reasons()
	if r.Plugin == names.NodeResourcesFit {
		reasons = slices.Sorted(slices.Values(reasons))
	}
	return strings.Join(reasons, ", ")
}

// reasonOnly leaves the plugin's own reason standing.
func reasonOnly(rs []Refused) Words {
	return Words{What: sentences(rs, Refused.OwnReason), Short: rs[0].OwnReason()}
}

// nominees says which pods count on r's node though they are not bound there.
func (r Refused) nominees() string {
	if len(r.Nominated) == 0 {
		return ""
	}
	var names []string
	for _, pod := range r.Nominated {
		names = append(names, FullName(pod.GetPod()))
	}
	return " (counting " + grammar.List(names, grammar.Many) + ", nominated there)"
}

// sentences tells the refusals node by node. Nodes with equal sentences share
// one, and no more than manyNames nodes are named.
func sentences(rs []Refused, sentence func(Refused) string) string {
	var order []string
	nodes := map[string][]string{}
	for _, r := range rs[:min(len(rs), grammar.Many)] {
		said := sentence(r) + r.nominees()
		if !slices.Contains(order, said) {
			order = append(order, said)
		}
		nodes[said] = append(nodes[said], r.Name())
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

// WithNames puts the nodes before a clause that holds for each of them: a few,
// and as many as a sentence has.
func WithNames(rs []Refused, clause string) []string {
	wider := []string{listNodes(rs, grammar.Few) + ": " + clause}
	if len(rs) > grammar.Few {
		wider = append(wider, listNodes(rs, grammar.Many)+": "+clause)
	}
	return wider
}

// listNodes is list of the nodes' names.
func listNodes(rs []Refused, limit int) string {
	names := make([]string, 0, limit)
	for _, r := range rs[:min(len(rs), limit)] {
		names = append(names, r.Name())
	}
	said := strings.Join(names, ", ")
	if rest := len(rs) - len(names); rest > 0 {
		said += fmt.Sprintf(" and %d more", rest)
	}
	return said
}

// LabelWord is a label's key as people say it: without the domains that
// Kubernetes itself owns.
func LabelWord(key string) string {
	for _, domain := range []string{"topology.kubernetes.io/", "kubernetes.io/", "node.kubernetes.io/"} {
		if word, ok := strings.CutPrefix(key, domain); ok {
			return word
		}
	}
	return key
}
