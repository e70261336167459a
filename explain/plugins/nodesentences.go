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
func (r NodeRejection) Name() string {
	if r.Node == nil {
		return ""
	}
	return r.Node.Node().Name
}

// OwnReason is what the plugin itself said. NodeResourcesFit names extended
// resources in the order of a map, another one each time: here they are sorted.
func (r NodeRejection) OwnReason() string {
	reasons := r.Status.Reasons()
	if r.Plugin == names.NodeResourcesFit {
		reasons = slices.Sorted(slices.Values(reasons))
	}
	return strings.Join(reasons, ", ")
}

// reasonOnly leaves the plugin's own reason standing.
func reasonOnly(rs []NodeRejection) Words {
	return Words{What: sentences(rs, NodeRejection.OwnReason), Short: rs[0].OwnReason()}
}

// nominees says which pods count on r's node though they are not bound there.
func (r NodeRejection) nominees() string {
	if len(r.Nominated) == 0 {
		return ""
	}
	var names []string
	for _, pod := range r.Nominated {
		names = append(names, FullName(pod.GetPod()))
	}
	return " (counting " + grammar.List(names, grammar.Many) + ", nominated to it)"
}

// sentences words the rejections node by node: "a: sentence". Nodes with equal
// sentences share one, and no more than grammar.Many nodes are named.
func sentences(rs []NodeRejection, sentence func(NodeRejection) string) string {
	return byNode(rs, sentence, func(same []NodeRejection) string {
		if names := joinNames(same); names != "" {
			return names + ": " + sentence(same[0])
		}
		return sentence(same[0])
	})
}

// predicates is sentences of which the nodes are the subject: "a has the untolerated
// taint x. b, c are cordoned". The predicate agrees with so many nodes.
func predicates(rs []NodeRejection, predicate func(r NodeRejection, nodes int) string) string {
	one := func(r NodeRejection) string { return predicate(r, 1) }
	return byNode(rs, one, func(same []NodeRejection) string { return joinNames(same) + " " + predicate(same[0], len(same)) })
}

// joinNames are the names of all nodes.
func joinNames(rs []NodeRejection) string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.Name()
	}
	return strings.Join(names, ", ")
}

// byNode words the first grammar.Many rejections, those with equal keys together, and
// counts the rest.
func byNode(rs []NodeRejection, key func(NodeRejection) string, line func(same []NodeRejection) string) string {
	var order []string
	same := map[string][]NodeRejection{}
	for _, r := range rs[:min(len(rs), grammar.Many)] {
		said := key(r) + r.nominees()
		if !slices.Contains(order, said) {
			order = append(order, said)
		}
		same[said] = append(same[said], r)
	}
	var all []string
	for _, said := range order {
		all = append(all, line(same[said])+same[said][0].nominees())
	}
	if rest := len(rs) - grammar.Many; rest > 0 {
		all = append(all, "And "+grammar.Plural(rest, "more node"))
	}
	return strings.Join(all, ". ")
}

// WithNames puts the nodes before a clause that holds for each of them: a few,
// and as many as a sentence has.
func WithNames(rs []NodeRejection, clause string) []string {
	wider := []string{listNodes(rs, grammar.Few) + ": " + clause}
	if len(rs) > grammar.Few {
		wider = append(wider, listNodes(rs, grammar.Many)+": "+clause)
	}
	return wider
}

// listNodes is list of the nodes' names.
func listNodes(rs []NodeRejection, limit int) string {
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

// byClause tells the clauses of nodes, one, two and so on up to grammar.Many, each once with its nodes, and counts the
// other nodes.
func byClause(rs []NodeRejection, clause func(NodeRejection) string) []string {
	var order []string
	same := map[string][]NodeRejection{}
	for _, r := range rs {
		said := clause(r)
		if same[said] == nil {
			order = append(order, said)
		}
		same[said] = append(same[said], r)
	}
	var wider, all []string
	rest := len(rs)
	for _, said := range order[:min(len(order), grammar.Many)] {
		all = append(all, listNodes(same[said], grammar.Few)+": "+said)
		told := strings.Join(all, "; ")
		if rest -= len(same[said]); rest > 0 {
			told += fmt.Sprintf("; %d more", rest)
		}
		wider = append(wider, told)
	}
	return wider
}
