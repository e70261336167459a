package nodemap

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// grouping is by what nodes are put in rows.
type grouping struct {
	name string // of a label without its domain
	keys []key
}

// key is one of the heads of a row.
type key struct {
	of     func(*model.Node) string
	none   string // in place of "", where other nodes have one
	isPool bool
}

var (
	pool          = key{func(n *model.Node) string { return n.Pool }, "no pool", true}
	zone          = key{func(n *model.Node) string { return n.Zone }, "no zone", false}
	byPoolAndZone = grouping{"pool and zone", []key{pool, zone}}
	byPool        = grouping{"pool", []key{pool}}
	byZone        = grouping{"zone", []key{zone}}
)

// byLabel puts nodes with the same value of a label in a row.
func byLabel(label string) grouping {
	return grouping{label[strings.LastIndexByte(label, '/')+1:], []key{{func(n *model.Node) string { return n.Object.Labels[label] }, "not set", false}}}
}

// Labels are offered where they have from two to mostValues values, mostLabels of them.
const (
	mostValues = 16
	mostLabels = 6
)

// firstLabels are offered before others.
var firstLabels = []string{corev1.LabelInstanceTypeStable, corev1.LabelArchStable, corev1.LabelOSStable}

// sameAsPoolOrZone are labels that are offered already, or tell each node apart.
var sameAsPoolOrZone = []string{corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone}

// groupings are all that are offered for some nodes: by pool and zone, by each of them,
// by labels.
func groupings(nodes []*model.Node) []grouping {
	all := []grouping{byPoolAndZone, byPool, byZone}
	enough := len(all) + mostLabels
	values := map[string]map[string]bool{}
	for _, n := range nodes {
		for label, value := range n.Object.Labels {
			if values[label] == nil {
				values[label] = map[string]bool{}
			}
			if len(values[label]) <= mostValues {
				values[label][value] = true
			}
		}
	}
	labels := slices.Sorted(maps.Keys(values))
	rank := func(label string) int {
		if at := slices.Index(firstLabels, label); at >= 0 {
			return at
		}
		return len(firstLabels)
	}
	slices.SortStableFunc(labels, func(a, b string) int { return rank(a) - rank(b) })
	for _, label := range labels {
		n := len(values[label])
		if n < 2 || n > mostValues || slices.Contains(sameAsPoolOrZone, label) {
			continue
		}
		by := byLabel(label)
		if slices.ContainsFunc(all, func(g grouping) bool { return g.name == by.name }) {
			continue // pool is one of those that providers call so
		}
		if all = append(all, by); len(all) == enough {
			break
		}
	}
	return all
}

// present are the keys that a node has a value of.
func (g grouping) present(nodes []*model.Node) []key {
	return slices.DeleteFunc(slices.Clone(g.keys), func(k key) bool {
		return !slices.ContainsFunc(nodes, func(n *model.Node) bool { return k.of(n) != "" })
	})
}

// share is the nodes with the same values of keys.
type share struct {
	values []string
	nodes  []*model.Node
}

// most is how many keys a grouping has.
const most = 2

// divide puts together the nodes with the same values of keys, in the order of these; ""
// comes last.
func divide(keys []key, nodes []*model.Node) []*share {
	var all []*share
	index := map[[most]string]*share{}
	for _, n := range nodes {
		var values [most]string
		for i, k := range keys {
			values[i] = k.of(n)
		}
		of, known := index[values]
		if !known {
			of = &share{values: slices.Clone(values[:len(keys)])}
			index[values] = of
			all = append(all, of)
		}
		of.nodes = append(of.nodes, n)
	}
	slices.SortFunc(all, func(a, b *share) int { return slices.CompareFunc(a.values, b.values, model.CompareSet) })
	return all
}

// divisions are the ways to put rows together in parts that a sentence can name, by which
// of their values: the larger parts first.
func (g *grid) divisions() [][]int {
	switch len(g.natural) {
	case 0:
		return nil
	case 1:
		return [][]int{{0}}
	}
	return [][]int{{1}, {0}, {0, 1}}
}
