package plugins

import (
	"cmp"
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

// LabelWord is a label's key without the domains that Kubernetes itself owns.
func LabelWord(key string) string {
	for _, domain := range []string{"topology.kubernetes.io/", "kubernetes.io/", "node.kubernetes.io/"} {
		if word, ok := strings.CutPrefix(key, domain); ok {
			return word
		}
	}
	return key
}

// Reason is one reason why a plugin rejects a node, or all nodes at once.
type Reason struct {
	kind  string        // a clause that holds for all nodes of one group
	short string        // the same with the node's figures and names
	What  func() string // a sentence without the node's name
	share float64       // how far the node is from passing, below 1; 0: not a matter of degree
}

// newReason is a reason whose clause is the same for all nodes.
func newReason(short string, what func() string) Reason {
	return Reason{kind: short, short: short, What: what}
}

// plainReason is a reason whose clause is also its sentence.
func plainReason(short string) Reason {
	return newReason(short, func() string { return short })
}

// reasonShape is what rejections for the same reasons have in common.
func reasonShape(reasons []Reason) string {
	if len(reasons) == 1 {
		return reasons[0].kind
	}
	var kinds []string
	for _, f := range reasons {
		kinds = append(kinds, f.kind)
	}
	return strings.Join(kinds, "; ")
}

// reasonWords tells rejections by their reasons; the plugin's own reason stands
// where none was found.
func reasonWords(rs []NodeRejection, find func(NodeRejection) []Reason) Words {
	reasons := find(rs[0])
	if len(reasons) == 0 {
		return reasonOnly(rs)
	}
	w := Words{
		What: sentences(rs, func(r NodeRejection) string {
			var all []string
			for _, f := range find(r) {
				if said := f.What(); !slices.Contains(all, said) {
					all = append(all, said)
				}
			}
			return strings.Join(all, "; ")
		}),
		Short: shortReasons(reasons),
	}
	differs := func(r NodeRejection) bool { return shortReasons(find(r)) != w.Short }
	if slices.ContainsFunc(rs, differs) {
		if worstShareOf(reasons) < 1 {
			w.Nearest = w.Short
		}
		w.Short, w.Wider = reasonShape(reasons), byClause(rs, func(r NodeRejection) string { return shortReasons(find(r)) })
	}
	return w
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

// worstShareOf is how far the worst of the reasons is from passing, as a share of what is wanted: 1 where that is not a
// matter of degree.
func worstShareOf(reasons []Reason) float64 {
	worst := 0.0
	for _, reason := range reasons {
		worst = max(worst, cmp.Or(reason.share, 1))
	}
	return cmp.Or(worst, 1)
}

// shortReasons are the clauses of reasons, each once.
func shortReasons(reasons []Reason) string {
	var all []string
	for _, f := range reasons {
		if !slices.Contains(all, f.short) {
			all = append(all, f.short)
		}
	}
	return strings.Join(all, "; ")
}
