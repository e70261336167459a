package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// misses are the nodes with one thing in the way, by what that is.
type misses struct {
	between []*report.Group // a cordon, taints, labels
	others  []*report.Group // one refusal of another plugin
	full    []shortNode     // nothing but room, on nodes that are large enough
	small   []shortNode     // the same, on nodes that the pod is larger than
	without []shortNode     // the same, on nodes that have none at all of what it wants

	first *shortNode // the nearest of full and small
}

// shortNode is a node that lacks nothing but room.
type shortNode struct {
	node  string
	lacks []plugins.Figure
}

func missesOf(q *podQuestion, r *report.Report) misses {
	var m misses
	for i := range r.Groups {
		g := &r.Groups[i]
		switch loneCause(g) {
		case "":
		case report.CordonWord, names.TaintToleration, names.NodeAffinity:
			m.between = append(m.between, g)
		case names.NodeResourcesFit:
			rows := plugins.ShortageTableOf(q.Question).Rows
			for n, at := range q.found.places[i] {
				m.add(shortNode{g.Nodes[n], rows[at].Figures})
			}
		default:
			m.others = append(m.others, g)
		}
	}
	return m
}

func (m *misses) add(l shortNode) {
	none := slices.ContainsFunc(l.lacks, func(f plugins.Figure) bool { return f.TooLittle() && f.Allocatable == 0 })
	if m.first == nil && !none {
		first := l
		m.first = &first
	}
	switch {
	case none:
		m.without = append(m.without, l)
	case slices.ContainsFunc(l.lacks, plugins.Figure.TooLittle):
		m.small = append(m.small, l)
	default:
		m.full = append(m.full, l)
	}
}

// nearest is the nearest of the nodes that have some of all that the pod wants.
func (m *misses) nearest() string { return m.first.node + ": " + plugins.ShortOf(m.first.lacks) }

// tooLittle are the resources of which the pod wants more than the node has in
// all. Every pod wants one of the node's pods: that is no matter of size.
func tooLittle(lacks []plugins.Figure) []plugins.Figure {
	return slices.DeleteFunc(slices.Clone(lacks), func(f plugins.Figure) bool { return !f.TooLittle() })
}

// tellTooLarge is for a pod that not even an empty cluster would hold.
func tellTooLarge(q *podQuestion) (overall, bool) {
	rows := plugins.ShortageTableOf(q.Question).Rows
	fitsEmpty := func(row plugins.ShortageRow) bool { return !slices.ContainsFunc(row.Figures, plugins.Figure.TooLittle) }
	if len(rows) == 0 || slices.ContainsFunc(rows, fitsEmpty) {
		return overall{}, false
	}
	all := make([]shortNode, 0, len(rows))
	for _, row := range rows {
		all = append(all, shortNode{row.Node.Node().Name, row.Figures})
	}
	f := largest(all)
	if f == nil {
		requests := requestWords(q)
		return overall{
			summary: fmt.Sprintf("Larger than any node: no node has %s allocatable.", requests),
			state:   "too large", why: requests,
		}, true
	}
	wanted, most := quantity.RoundedUp(f.Resource, f.Wanted), quantity.RoundedDown(f.Resource, f.Allocatable)
	if f.Allocatable == 0 {
		return overall{
			summary: fmt.Sprintf("No node has %s: it wants %s.", f.Resource, wanted),
			state:   "no node fits", why: fmt.Sprintf("no node has %s", f.Resource),
		}, true
	}
	return overall{
		summary: fmt.Sprintf("Larger than any node: it wants %s %s, the largest node has %s allocatable.", f.Resource, wanted, most),
		state:   "too large", why: fmt.Sprintf("%s %s, largest node %s", f.Resource, wanted, most),
	}, true
}

// largest is the first resource of which all nodes have too little even empty,
// with what the largest of them has; nil where no resource is so for all.
func largest(nodes []shortNode) *plugins.Figure {
	common := slices.Clone(tooLittle(nodes[0].lacks))
	for _, node := range nodes[1:] {
		over := tooLittle(node.lacks)
		common = slices.DeleteFunc(common, func(f plugins.Figure) bool { return figureOf(over, f.Resource) == nil })
		for i := range common {
			common[i].Allocatable = max(common[i].Allocatable, figureOf(over, common[i].Resource).Allocatable)
		}
	}
	if len(common) == 0 {
		return nil
	}
	return &common[0]
}

// tellSmall is for nodes that lack nothing but size, and for those that are large
// enough but for one other thing.
func tellSmall(q *podQuestion, m misses) string {
	const lead = "Larger than any node that would take it: "
	said := lead + "none has " + requestWords(q) + " allocatable"
	if f := largest(m.small); f != nil {
		said = fmt.Sprintf("%sit wants %s %s, the largest of them has %s allocatable", lead,
			f.Resource, quantity.RoundedUp(f.Resource, f.Wanted), quantity.RoundedDown(f.Resource, f.Allocatable))
	}
	if len(m.between) > 0 {
		said += "; it would fit " + butFor(m.between)
	}
	return said + "."
}

// tellWithout is for nodes that have none at all of a resource.
func tellWithout(nodes []shortNode) string {
	var absent []string
	for _, node := range nodes {
		for _, f := range tooLittle(node.lacks) {
			said := fmt.Sprintf("%s: it wants %s", f.Resource, quantity.RoundedUp(f.Resource, f.Wanted))
			if f.Allocatable == 0 && !slices.Contains(absent, said) {
				absent = append(absent, said)
			}
		}
	}
	return "No node that would take it has " + strings.Join(absent, ", or has ") + "."
}

// butFor is for nodes that would fit but for one thing each.
func butFor(between []*report.Group) string {
	var all []string
	for _, g := range between {
		bar := g.Refusals[0].Bar
		if loneCause(g) == report.CordonWord {
			bar = "being cordoned, " + grammar.List(g.Nodes, grammar.Few)
		}
		all = append(all, fmt.Sprintf("%s but for %s", grammar.Plural(g.Count, "node"), bar))
	}
	return grammar.List(all, grammar.Few)
}

// inTheWay names the kinds of things that are in the way, with their verb: "a
// taint or a label is".
func inTheWay(q *podQuestion, between []*report.Group) string {
	var kinds []string
	verb := "is"
	for _, g := range between {
		kind := map[string]string{report.CordonWord: "a cordon", names.NodeAffinity: "a label"}[loneCause(g)]
		if kind == "" {
			kind = taintKind(q, g.Nodes[0])
		}
		if kind == "taints" {
			verb = "are"
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " or ") + " " + verb
}

// taintKind says what the taints of a node are: those that the node's own state
// sets tell of that.
func taintKind(q *podQuestion, name string) string {
	node, err := q.Nodes.NodeInfos().Get(name)
	if err != nil {
		return "a taint"
	}
	taints := plugins.Untolerated(q.Question, plugins.Refused{Node: node})
	state := func(taint corev1.Taint) bool { return plugins.ConditionTaints[taint.Key] != "" }
	switch {
	case len(taints) > 0 && !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return !state(t) }):
		return "the state of nodes"
	case len(taints) > 1:
		return "taints"
	}
	return "a taint"
}

// tellRoom is for nodes that lack nothing but room, some of which are large
// enough: is there none, or none on one node.
func tellRoom(nodes []shortNode) string {
	lacking := map[corev1.ResourceName]int{}
	for _, node := range nodes {
		for _, f := range node.lacks {
			lacking[f.Resource]++
		}
	}
	var inSum string
	var some []string
	for _, name := range slices.SortedFunc(maps.Keys(lacking), byRank) {
		some = append(some, fmt.Sprintf("%s %s", grammar.Count(lacking[name], "lacks", "lack"), name))
		if lacking[name] < len(nodes) {
			continue // another node has enough of it
		}
		free := freeOn(name, nodes)
		if free.sum < free.wanted {
			return free.none()
		}
		if inSum == "" {
			inSum = free.scattered()
		}
	}
	if inSum != "" {
		return inSum
	}
	return fmt.Sprintf("Enough room in sum, on no one node: of the %s that would take it %s.", grammar.Plural(len(nodes), "node"), strings.Join(some, ", "))
}

func byRank(a, b corev1.ResourceName) int {
	return cmp.Compare(report.ResourceRank(a), report.ResourceRank(b))
}

// room is what some nodes have free of one resource.
type room struct {
	name              corev1.ResourceName
	wanted, sum, most int64
	on                int // nodes that have any
}

// freeOn sums up what nodes that all lack a resource have free of it.
func freeOn(name corev1.ResourceName, nodes []shortNode) room {
	r := room{name: name}
	for _, node := range nodes {
		f := figureOf(node.lacks, name)
		r.wanted = f.Wanted
		if free := f.Allocatable - f.Requested; free > 0 {
			r.sum, r.most, r.on = r.sum+free, max(r.most, free), r.on+1
		}
	}
	return r
}

// none says that the nodes do not have enough, not even together.
func (r room) none() string {
	const full = "The cluster is full for this pod: no node that would take it has "
	switch {
	case r.name == corev1.ResourcePods:
		return full + "room for one more pod."
	case r.most == 0:
		return fmt.Sprintf("%sany %s free.", full, r.name)
	}
	return fmt.Sprintf("%smore than %s %s free.", full, r.name, quantity.RoundedDown(r.name, r.most))
}

// scattered says that the nodes have enough together.
func (r room) scattered() string {
	return fmt.Sprintf("Enough room in sum, on no one node: %s %s free on %s, at most %s on one, and it wants %s.", r.name,
		quantity.RoundedDown(r.name, r.sum), grammar.Plural(r.on, "node"), quantity.RoundedDown(r.name, r.most), quantity.RoundedUp(r.name, r.wanted))
}
