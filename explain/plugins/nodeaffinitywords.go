package plugins

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// affinityWords says what the pod requires and which values the nodes have.
func affinityWords(q *Question, rs []NodeRejection) Words {
	u := UnmetOf(q, rs[0])
	if rs[0].Node == nil && len(u.Terms) > 0 {
		return Words{
			What:  rs[0].OwnReason() + ": each term requires one node with different names: " + u.describe(),
			Short: "node affinity requires two nodes at once",
		}
	}
	if u.Wish == "" {
		return reasonOnly(rs)
	}
	w := Words{
		What:  sentences(rs, func(r NodeRejection) string { return UnmetOf(q, r).sentence(r.Node.Node()) }),
		Short: u.Field() + " " + u.Wish,
		Bar:   u.Wish,
	}
	if u.Empty() && len(u.Pairs) == 0 {
		w.Short, w.Bar = u.Field()+" is empty and matches no node", "its empty node affinity"
		if u.Added {
			w.Bar = u.Field() + ", which is empty"
		}
	}
	one, ok := u.Single()
	if !ok {
		return w
	}
	if len(rs) == 1 {
		w.Short = u.Field() + " " + one.Text + ", " + one.has(rs[0].Node.Node(), false)
		return w
	}
	if noNodeHas(q, one) {
		w.Short = u.Field() + " " + one.Text + ": no node has the label"
		return w
	}
	w.Short = u.Field() + " " + one.Text + ": " + tally(one, rs)
	return w
}

// labelKey is the key under which is remembered whether a node has a label.
type labelKey string

// noNodeHas says whether no node of the cluster has the label that is wanted, with whatever value.
func noNodeHas(q *Question, one Want) bool {
	if one.Field || q.Nodes == nil {
		return false
	}
	return Remember(q, labelKey(one.Key), func() bool {
		nodes, err := q.Nodes.NodeInfos().List()
		return err == nil && !slices.ContainsFunc(nodes, func(node fwk.NodeInfo) bool {
			_, has := node.Node().Labels[one.Key]
			return has
		})
	})
}

// Field names where the requirements stand: in the pod's nodeSelector, in its node
// affinity, or in what the profile adds.
func (u *Unmet) Field() string {
	switch {
	case u.Added:
		return "the profile's addedAffinity"
	case len(u.Terms) == 0:
		return "node selector"
	case len(u.Pairs) == 0:
		return "node affinity"
	}
	return "node selector and affinity"
}

// tally counts the values that the nodes have: "3 have hdd, 1 has no label".
func tally(one Want, rs []NodeRejection) string {
	var values []string
	counts, none := map[string]int{}, 0
	for _, r := range rs {
		value, ok := one.ValueAt(r.Node.Node())
		switch {
		case !ok:
			none++
		case counts[value] == 0:
			values = append(values, value)
			fallthrough
		default:
			counts[value]++
		}
	}
	slices.SortStableFunc(values, func(a, b string) int { return counts[b] - counts[a] })
	var all []string
	for i, value := range values {
		if i == grammar.Few {
			all = append(all, grammar.Count(len(values)-i, "other value", "other values"))
			break
		}
		verb := "have"
		if counts[value] == 1 {
			verb = "has"
		}
		all = append(all, fmt.Sprintf("%d %s %s", counts[value], verb, OrEmpty(value)))
	}
	if none > 0 {
		all = append(all, fmt.Sprintf("%s no label", grammar.Count(none, "has", "have")))
	}
	return strings.Join(all, ", ")
}

// ValueAt is what the node has where w looks.
func (w Want) ValueAt(node *corev1.Node) (string, bool) {
	if w.Field && w.Key == metav1.ObjectNameField {
		return node.Name, true
	}
	value, ok := node.Labels[w.Key]
	return value, ok
}

// has is the value that the node has: "the node has disktype=hdd", or only "has hdd".
func (w Want) has(node *corev1.Node, whole bool) string {
	value, ok := w.ValueAt(node)
	switch {
	case ok && whole:
		return "the node has " + w.Key + "=" + value
	case ok:
		return "has " + OrEmpty(value)
	case whole:
		return "the node has no label " + w.Key
	}
	return "has no label"
}

// OrEmpty is a value, or two quotation marks where it is empty.
func OrEmpty(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// sentence is all that one node misses, per term where there are several.
func (u *Unmet) sentence(node *corev1.Node) string {
	var all []string
	for _, one := range u.Pairs {
		all = append(all, "node selector requires "+one.Text+", "+one.has(node, true))
	}
	for i, term := range u.Terms {
		of := "node affinity "
		if u.Added {
			of = "the profile's addedAffinity "
		}
		if u.total > 1 {
			of += fmt.Sprintf("term %d of %d ", i+1, u.total)
		}
		var lines []string
		for _, one := range term {
			said := "requires " + one.Text + ", " + one.has(node, true)
			if one.invalid != "" {
				said = "requires " + one.Text + ", which is invalid: " + one.invalid
			}
			lines = append(lines, said)
		}
		if len(term) == 0 {
			lines = []string{"is empty and matches no node"}
		}
		all = append(all, of+strings.Join(lines, " and "))
	}
	return strings.Join(all, "; ")
}
