package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// misses are the nodes with only one reason, by what that is.
type misses struct {
	between []*report.Group // a cordon, taints, labels
	others  []*report.Group // one rejection of another plugin, or for capacity where kube-scheduler's sums overflow
	full    []shortNode     // only free capacity is missing, on nodes that are large enough
	small   []shortNode     // the same, on nodes that the pod is larger than
	without []shortNode     // the same, on nodes that have none at all of what it wants
	lost    []shortNode     // those of them that lack only devices which their kubelet reports 0 of

	first *shortNode // the nearest of full and small
}

// shortNode is a node that lacks only free capacity.
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
			if overflows := func(at int) bool { return len(rows[at].Figures) == 0 }; slices.ContainsFunc(q.found.Places[i], overflows) {
				m.others = append(m.others, g)
				continue
			}
			for n, at := range q.found.Places[i] {
				m.add(q, shortNode{g.Nodes[n], rows[at].Figures})
			}
		default:
			m.others = append(m.others, g)
		}
	}
	return m
}

func (m *misses) add(q *podQuestion, l shortNode) {
	none := slices.ContainsFunc(l.lacks, func(f plugins.Figure) bool { return f.TooLittle() && f.Allocatable == 0 })
	if m.first == nil && !none {
		first := l
		m.first = &first
	}
	switch {
	case none:
		m.without = append(m.without, l)
		if lostDevices(q, l) {
			m.lost = append(m.lost, l)
		}
	case slices.ContainsFunc(l.lacks, plugins.Figure.TooLittle):
		m.small = append(m.small, l)
	default:
		m.full = append(m.full, l)
	}
}

// lostDevices reports whether a node lacks nothing but extended resources that its kubelet knows
// and has 0 of: their device plugin was there, and is not, or all its devices are unhealthy. One that
// offers other resources of the same vendor gives its devices under another name.
func lostDevices(q *podQuestion, l shortNode) bool {
	node, err := q.Nodes.NodeInfos().Get(l.node)
	if err != nil {
		return false
	}
	allocatable := node.Node().Status.Allocatable
	return !slices.ContainsFunc(l.lacks, func(f plugins.Figure) bool {
		_, known := allocatable[f.Resource]
		return !known || f.Allocatable > 0 || !v1helper.IsExtendedResourceName(f.Resource) || offersOthers(allocatable, f.Resource)
	})
}

// offersOthers reports whether there is some of another resource of the same domain.
func offersOthers(allocatable corev1.ResourceList, than corev1.ResourceName) bool {
	domain, _, _ := strings.Cut(string(than), "/")
	for name, amount := range allocatable {
		if name != than && strings.HasPrefix(string(name), domain+"/") && !amount.IsZero() {
			return true
		}
	}
	return false
}

// tellLost puts nodes that lost their devices before everything else: what they have is free, and
// no other node has to change.
func (m *misses) tellLost(told overall) overall {
	if len(m.lost) == 0 {
		return told
	}
	names := func(l shortNode) string {
		var all []string
		for _, f := range l.lacks {
			all = append(all, string(f.Resource))
		}
		return strings.Join(all, " and ")
	}
	first, resources := m.lost[0], names(m.lost[0])
	var nodes []string
	for _, l := range m.lost {
		if names(l) == resources {
			nodes = append(nodes, l.node)
		}
	}
	who, subject, lack := first.node, "Node "+first.node, "lacks"
	switch n := len(nodes); {
	case n == 2:
		who, lack = andList(nodes), "lack"
		subject = "Nodes " + who
	case n > 2:
		who, lack = model.FormatCount(n)+" nodes", "lack"
		subject = who
	}
	told.cause, told.why = model.ResourceWord(first.lacks[0].Resource), fmt.Sprintf("%s: %s 0 allocatable", who, resources)
	told.summary = fmt.Sprintf("%s %s only %s, of which 0 is allocatable: check the device plugin. %s", subject, lack, resources, told.summary)
	return told
}

// absent is the extended resource that nodes without it do not count for; "" where there are none.
func (m *misses) absent() corev1.ResourceName {
	for _, node := range m.without {
		for _, f := range tooLittle(node.lacks) {
			if f.Allocatable == 0 && v1helper.IsExtendedResourceName(f.Resource) {
				return f.Resource
			}
		}
	}
	return ""
}

// nearest is the closest of the nodes that have some of all that the pod requests; how many they
// are, where all lack the same.
func (m *misses) nearest() string {
	if n := len(m.full); n > 1 && len(m.small) == 0 {
		all := make([][]plugins.Figure, n)
		for i, l := range m.full {
			all[i] = l.lacks
		}
		if lacks := plugins.LackAlike(all); lacks != nil {
			return model.FormatCount(n) + " nodes " + plugins.ShortBeside(lacks, n)
		}
	}
	return m.first.node + " " + plugins.ShortBeside(m.first.lacks, 1)
}

// tooLittle are the resources of which the pod requests more than is allocatable on
// the node. Every pod counts as one of the node's pods: that is not about size.
func tooLittle(lacks []plugins.Figure) []plugins.Figure {
	return slices.DeleteFunc(slices.Clone(lacks), func(f plugins.Figure) bool { return !f.TooLittle() })
}

// tellTooLarge is for a pod that would not fit even in an empty cluster.
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
			summary: fmt.Sprintf("Too large for any node: no node has %s allocatable.", requests),
			state:   unschedulable, cause: report.TooLarge, why: requests,
		}, true
	}
	wanted, most := quantity.RoundedUp(f.Resource, f.Wanted), quantity.RoundedDown(f.Resource, f.Allocatable)
	if f.Allocatable == 0 {
		return overall{
			summary: fmt.Sprintf("No node has %s: it requests %s.", f.Resource, wanted),
			state:   unschedulable, cause: model.ResourceWord(f.Resource), why: fmt.Sprintf("no node has %s", f.Resource),
		}, true
	}
	return overall{
		summary: fmt.Sprintf("Too large for any node: it requests %s %s, the largest node has %s allocatable.", f.Resource, wanted, most),
		state:   unschedulable, cause: report.TooLarge, over: f.Resource, why: fmt.Sprintf("%s %s; largest node %s", f.Resource, wanted, most),
	}, true
}

// largest is the first resource of which all nodes have too little even when empty,
// with what the largest of them has; nil where there is no such resource.
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

// tellSmall is for nodes that are only too small, and for those that are large
// enough and have one other reason.
func tellSmall(q *podQuestion, m misses) string {
	const lead = "Too large for every node that would accept it: "
	said := lead + "none has " + requestWords(q) + " allocatable"
	if f := largest(m.small); f != nil {
		said = fmt.Sprintf("%sit requests %s %s, the largest of them has %s allocatable", lead,
			f.Resource, quantity.RoundedUp(f.Resource, f.Wanted), quantity.RoundedDown(f.Resource, f.Allocatable))
	}
	if len(m.between) > 0 {
		said += "; " + acceptWithout(m.between)
	}
	return said + "."
}

// tellWithout is for nodes that have none at all of a resource.
func tellWithout(nodes []shortNode) string {
	var absent []string
	for _, node := range nodes {
		for _, f := range tooLittle(node.lacks) {
			said := fmt.Sprintf("%s (it requests %s)", f.Resource, quantity.RoundedUp(f.Resource, f.Wanted))
			if f.Allocatable == 0 && !slices.Contains(absent, said) {
				absent = append(absent, said)
			}
		}
	}
	return "No node that would accept it has " + strings.Join(absent, " or ") + "."
}

// tellHolders is for nodes that have none of a resource, where others have some and reject the pod for
// several reasons: these nodes are what it is for, and the closest of them tells more. False where no
// other group of nodes begins with one that has it.
func tellHolders(q *podQuestion, r *report.Report, absent corev1.ResourceName) (overall, bool) {
	lacks := map[string]bool{}
	for _, row := range plugins.ShortageTableOf(q.Question).Rows { // those of nodes with enough are empty
		if lack := figureOf(row.Figures, absent); lack != nil && lack.Allocatable == 0 {
			lacks[row.Node.Node().Name] = true
		}
	}
	at := slices.IndexFunc(r.Groups, func(g report.Group) bool { return len(g.Nodes) > 0 && !g.OverAllNodes() && !lacks[g.Nodes[0]] })
	if at < 0 {
		return overall{}, false
	}
	told := tellNearest(q, r, &r.Groups[at])
	_, closest, _ := strings.Cut(told.summary, "Closest: ")
	have := r.Total - len(lacks)
	told.summary = fmt.Sprintf("%s %s and %s %s", grammar.Count(have, "node has", "nodes have"), absent,
		grammar.Agree(have, "rejects it:", "reject it. Closest:"), closest)
	return told, true
}

// acceptWithout names the nodes that would accept the pod but for one reason each.
func acceptWithout(between []*report.Group) string {
	var all []string
	for i, g := range between {
		who, verb := g.Nodes[0], " would accept it"
		if g.Count > 1 {
			who = grammar.Plural(g.Count, "node")
		}
		if i > 0 {
			verb = ""
		}
		if loneCause(g) == report.CordonWord {
			all = append(all, grammar.List(g.Nodes, grammar.Few)+verb+" once uncordoned")
			continue
		}
		if condition := conditionClause(g); condition != "" {
			all = append(all, who+verb+condition)
			continue
		}
		bar := cmp.Or(bothTaints(g), g.Rejections[0].Bar)
		if strings.HasPrefix(bar, "no ") {
			bar = strconv.Quote(bar) // "no label disktype" is the rule
		}
		all = append(all, who+verb+" without "+bar)
	}
	return grammar.List(all, grammar.Few)
}

// conditionClause says in which condition the nodes of a group are that take no new pods for it: " but for
// MemoryPressure", " but is NotReady"; "" where anything else of them rejects the pod.
func conditionClause(g *report.Group) string {
	var is, has []string
	for i := range g.Rejections[0].Taints {
		said := plugins.ConditionOf(&g.Rejections[0].Taints[i])
		to := &is
		switch {
		case said == "":
			return ""
		case strings.HasSuffix(said, "Pressure") || said == string(corev1.NodeNetworkUnavailable):
			to = &has
		}
		if !slices.Contains(*to, said) {
			*to = append(*to, said)
		}
	}
	if len(is) == 0 && len(has) == 0 {
		return ""
	}
	if len(is) == 0 {
		return " but for " + strings.Join(has, " and ")
	}
	return " but " + grammar.Agree(g.Count, "is ", "are ") + strings.Join(slices.Concat(is, has), " and ")
}

// bothTaints spell out the taints of a group that say in which condition its nodes are, beside others that do not;
// "" where all are of one of these.
func bothTaints(g *report.Group) string {
	var all []string
	conditions := 0
	for i := range g.Rejections[0].Taints {
		taint := &g.Rejections[0].Taints[i]
		if plugins.ConditionOf(taint) != "" {
			conditions++
		}
		all = append(all, taint.ToString())
	}
	if conditions == 0 || conditions == len(all) {
		return ""
	}
	return grammar.List(all, grammar.Few)
}

// blocks names the kinds of reasons with their verb: "a taint or its node selector blocks".
func blocks(q *podQuestion, between []*report.Group) string {
	var kinds []string
	verb := "blocks"
	for _, g := range between {
		var kind string
		switch loneCause(g) {
		case report.CordonWord:
			kind = "a cordon"
		case names.NodeAffinity:
			kind = affinityKind(q, g.Nodes[0])
		default:
			kind = taintKind(q, g.Nodes[0])
		}
		if kind == "taints" || strings.HasSuffix(kind, " and affinity") {
			verb = "block"
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " or ") + " " + verb
}

// affinityKind says where the pod requires labels that a node does not have.
func affinityKind(q *podQuestion, name string) string {
	node, err := q.Nodes.NodeInfos().Get(name)
	if err != nil {
		return "its node affinity"
	}
	if unmet := plugins.UnmetOf(q.Question, plugins.NodeRejection{Node: node}); !unmet.Added {
		return "its " + unmet.Field()
	}
	return "the profile's addedAffinity"
}

// taintKind says what the taints of a node are: some are set for the node's own
// state.
func taintKind(q *podQuestion, name string) string {
	node, err := q.Nodes.NodeInfos().Get(name)
	if err != nil {
		return "a taint"
	}
	taints := plugins.Untolerated(q.Question, plugins.NodeRejection{Node: node})
	state := func(taint corev1.Taint) bool { return plugins.ConditionOf(&taint) != "" }
	switch {
	case len(taints) > 0 && !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return !state(t) }):
		return "the condition of nodes"
	case len(taints) > 1:
		return "taints"
	}
	return "a taint"
}

// tellRoom is for nodes that lack only free capacity, some of which are large
// enough: there is none, or not enough on any single node. Nodes that have none of an absent
// resource are not among them.
func tellRoom(nodes []shortNode, absent corev1.ResourceName) string {
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
		free := freeOn(name, nodes, func(f plugins.Figure) bool { return lacking[f.Resource] == len(nodes) })
		if free.sum < free.wanted {
			return free.none(absent)
		}
		if inSum == "" {
			inSum = free.scattered()
		}
	}
	if inSum != "" {
		return inSum
	}
	return fmt.Sprintf("Enough capacity in total, but not on one node: of the %s that would accept it %s.", grammar.Plural(len(nodes), "node"), strings.Join(some, ", "))
}

func byRank(a, b corev1.ResourceName) int {
	return cmp.Compare(report.ResourceRank(a), report.ResourceRank(b))
}

// room is what some nodes have free of one resource.
type room struct {
	name        corev1.ResourceName
	wanted, sum int64
	usable      int64 // the most on a node whose capacity counts in sum
	on          int   // nodes whose capacity does, where they have any
	most        int64 // on any of the nodes
}

// freeOn sums up what nodes that all lack a resource have free of it. Those that lack more
// than all of them do, such as one that has reached its pod limit, do not count: the pod
// could not use that.
func freeOn(name corev1.ResourceName, nodes []shortNode, common func(plugins.Figure) bool) room {
	r := room{name: name}
	for _, node := range nodes {
		f := figureOf(node.lacks, name)
		r.wanted = f.Wanted
		free := f.Allocatable - f.Requested
		r.most = max(r.most, free)
		if free > 0 && !slices.ContainsFunc(node.lacks, func(f plugins.Figure) bool { return !common(f) }) {
			r.sum, r.usable, r.on = r.sum+free, max(r.usable, free), r.on+1
		}
	}
	return r
}

// none says that the nodes do not have enough, not even together.
func (r room) none(absent corev1.ResourceName) string {
	full := "The cluster is full for this pod: no node that would accept it has "
	if absent != "" && absent != r.name {
		full = fmt.Sprintf("The cluster is full for this pod: no node with %s that would accept it has ", absent)
	}
	switch {
	case r.name == corev1.ResourcePods:
		return full + "capacity for one more pod."
	case r.most == 0:
		return fmt.Sprintf("%sany %s free.", full, r.name)
	}
	return fmt.Sprintf("%smore than %s %s free.", full, r.name, quantity.RoundedDown(r.name, r.most))
}

// scattered says that the nodes have enough together.
func (r room) scattered() string {
	return fmt.Sprintf("Enough capacity in total, but not on one node: %s %s free on %s, at most %s on one; it requests %s.", r.name,
		quantity.RoundedDown(r.name, r.sum), grammar.Plural(r.on, "node"), quantity.RoundedDown(r.name, r.usable), quantity.RoundedUp(r.name, r.wanted))
}
