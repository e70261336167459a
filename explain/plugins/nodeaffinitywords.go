package plugins

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// affinityWords tells what nodes miss and what they have instead.
func affinityWords(q *Question, rs []Refused) Words {
	u := UnmetOf(q, rs[0])
	if rs[0].Node == nil && len(u.Terms) > 0 {
		return Words{
			What:  rs[0].OwnReason() + ": every term asks for one node by different names: " + u.describe(),
			Short: "affinity asks for two nodes at once",
		}
	}
	if u.Wish == "" {
		return reasonOnly(rs)
	}
	w := Words{
		What:  sentences(rs, func(r Refused) string { return UnmetOf(q, r).sentence(r.Node.Node()) }),
		Short: u.verb() + u.Wish,
		Bar:   u.Wish,
	}
	one, ok := u.Single()
	if !ok {
		return w
	}
	if len(rs) == 1 {
		w.Short = u.verb() + one.Text + ", " + one.has(rs[0].Node.Node(), false)
		return w
	}
	w.Short = u.verb() + one.Text + ": " + tally(one, rs)
	return w
}

// verb tells the pod's own wishes from the profile's.
func (u *Unmet) verb() string {
	if u.Added {
		return "profile wants "
	}
	return "wants "
}

// tally counts what the nodes have instead: "3 have hdd, 1 no label".
func tally(one Want, rs []Refused) string {
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
			all = append(all, fmt.Sprintf("%d other values", len(values)-i))
			break
		}
		verb := "have"
		if counts[value] == 1 {
			verb = "has"
		}
		all = append(all, fmt.Sprintf("%d %s %s", counts[value], verb, OrEmpty(value)))
	}
	if none > 0 {
		all = append(all, fmt.Sprintf("%d no label", none))
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

// has tells what the node has instead: "has disktype=hdd", or only "has hdd".
func (w Want) has(node *corev1.Node, whole bool) string {
	value, ok := w.ValueAt(node)
	switch {
	case ok && whole:
		return "has " + w.Key + "=" + value
	case ok:
		return "has " + OrEmpty(value)
	case whole:
		return "has no label " + w.Key
	}
	return "no label"
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
		all = append(all, "nodeSelector wants "+one.Text+", "+one.has(node, true))
	}
	for i, term := range u.Terms {
		of := "node affinity "
		if u.Added {
			of = "the profile's added affinity "
		}
		if u.total > 1 {
			of += fmt.Sprintf("term %d of %d ", i+1, u.total)
		}
		var lines []string
		for _, one := range term {
			said := "wants " + one.Text + ", " + one.has(node, true)
			if one.invalid != "" {
				said = "wants " + one.Text + ", which cannot be read: " + one.invalid
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
