package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// unschedulable is the state of a pod that no node accepts.
const unschedulable = "unschedulable"

// tellUnschedulable says why no node fits: too large for any, no free capacity, none
// on one node, only one reason left, or whatever the closest node rejects it for.
func tellUnschedulable(q *podQuestion, r *report.Report) overall {
	if q.found.GangRejects {
		return tellGang(r)
	}
	if len(r.Groups) == 0 {
		return overall{summary: "No node fits: the cluster has no nodes.", state: unschedulable, cause: "no nodes", why: "the cluster has no nodes"}
	}
	m := missesOf(q, r)
	told, ok := tellTooLarge(q)
	if ok {
		told = m.tellLost(told)
	} else if told, ok = tellPinned(q, r); !ok {
		told = m.tell(q, r)
	}
	for _, words := range []string{originWords(q, r, &told), tolerationWords(q, r, &told)} {
		told.further = strings.TrimSpace(words + " " + told.further)
	}
	return told
}

// tolerationWords say that the pod tolerates something like the taint that it is pending for, and what;
// "" otherwise.
func tolerationWords(q *podQuestion, r *report.Report, told *overall) string {
	for i := range r.Groups {
		for j := range r.Groups[i].Rejections {
			rejection := &r.Groups[i].Rejections[j]
			if rejection.Plugin != names.TaintToleration || rejection.Cause != told.cause {
				continue
			}
			if said := plugins.Mismatches(q.Question, rejection.Taints); said != "" {
				return "The pod's " + said + "."
			}
		}
	}
	return ""
}

// tell says why none of several nodes fits that are large enough.
func (m *misses) tell(q *podQuestion, r *report.Report) overall {
	told := tellNearest(q, r, &r.Groups[0])
	switch {
	case len(m.others) > 0 || len(m.full) > 0 && len(m.between) > 0: // the nearest says most
		told.further = strings.TrimSpace(olderPodsWords(q, &r.Groups[0]) + " " + m.further(q, r))
	case len(m.full) > 0:
		told.why = m.nearest()
		told.cause = model.ResourceWord(m.first.lacks[0].Resource)
		told.summary = tellRoom(append(m.full, m.small...), m.absent())
	case len(m.small) > 0:
		told.cause, told.why = report.TooLarge, requestWords(q)
		if f := largest(m.small); f != nil {
			told.over = f.Resource
			told.why = fmt.Sprintf("%s %s; largest node that accepts it %s", f.Resource,
				quantity.RoundedUp(f.Resource, f.Wanted), quantity.RoundedDown(f.Resource, f.Allocatable))
		}
		told.summary = tellSmall(q, *m)
	case len(m.between) > 0:
		first := tellNearest(q, r, m.between[0])
		told.cause, told.why = first.cause, first.why
		told.summary = fmt.Sprintf("Only %s it: %s.", blocks(q, m.between), acceptWithout(m.between))
	case len(m.without) > 0:
		lacks := tooLittle(m.without[0].lacks)
		absent := lacks[slices.IndexFunc(lacks, func(f plugins.Figure) bool { return f.Allocatable == 0 })].Resource
		if holders, ok := tellHolders(q, r, absent); ok {
			return m.tellLost(holders)
		}
		told.cause, told.why = model.ResourceWord(absent), fmt.Sprintf("no node that accepts it has %s", absent)
		told.summary = tellWithout(m.without)
	}
	return m.tellLost(told)
}

// tellNearest names the closest node and all its reasons.
func tellNearest(q *podQuestion, r *report.Report, g *report.Group) overall {
	told, near := overall{state: unschedulable}, *g
	if before := report.PreFilterRefusals(g); len(before) > 0 { // no node is nearer than another
		near.Rejections = before
		told.cause, told.why = before[0].Cause, strings.Join(near.ClauseList(), "; ")
		told.summary = "No node fits: " + told.why + "."
		return told
	}
	near.Nodes, near.Rejections = g.Nodes[:1], firstThatRejectAll(r, g.Rejections)
	told.cause = near.Rejections[0].Cause
	lacks, alike := lackedByNearest(q, g)
	first := slices.ContainsFunc(near.Rejections, func(r report.Rejection) bool { return r.Nearest != "" })
	needs := "" // the first clause where it has the node as its subject, beside the cause
	for i, rejection := range near.Rejections {
		if rejection.Plugin == names.NodeResourcesFit && len(lacks) > 0 {
			near.Rejections[i].Short = plugins.ShortOf(lacks, alike)
			if i == 0 {
				needs = plugins.ShortBeside(lacks, alike)
			}
		}
		near.Rejections[i].Short = cmp.Or(rejection.Nearest, near.Rejections[i].Short)
	}
	clauses := near.ClauseList()
	told.why = strings.Join(clauses, "; ")
	who := grammar.List(g.Nodes, 1)
	if told.why == told.cause { // it is said already
		told.why = grammar.List(g.Nodes, grammar.Few)
	} else if g.Count == 1 || first || g.Rejects(names.NodeResourcesFit) {
		who = g.Nodes[0]
		if alike > 1 {
			who = model.FormatCount(alike) + " nodes"
		}
		told.lacks = told.why
		told.why = who + ": " + told.why
	}
	between := " and "
	if g.Rejects(names.NodeResourcesFit) { // what another pod that a clause names does, and what the node needs, are two things
		between = "; "
	}
	told.summary = fmt.Sprintf("0 of %s nodes fit. Closest: %s, %s.", model.FormatCount(r.Total), who, strings.Join(clauses, between))
	if needs != "" {
		told.why = who + " " + strings.Join(append([]string{needs}, clauses[1:]...), "; ")
		told.summary = fmt.Sprintf("0 of %s nodes fit. Closest: %s %s.", model.FormatCount(r.Total), who, strings.Join(clauses, "; "))
	}
	return told
}

// firstThatRejectAll puts rejections by plugins that reject all nodes before the others: no node fits without a change
// to what they reject. NodeResourcesFit may lack another resource on each node.
func firstThatRejectAll(r *report.Report, rejections []report.Rejection) []report.Rejection {
	some := func(rejection report.Rejection) int {
		if slices.ContainsFunc(r.Plugins, func(p report.PluginResult) bool { return p.Name == rejection.Plugin && p.Rejects == r.Total }) && rejection.Plugin != names.NodeResourcesFit {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(rejections), func(a, b report.Rejection) int { return some(a) - some(b) })
}

// lackedByNearest are the resources that the group's closest node lacks, and how many nodes there are that lack as
// much and that nothing else rejects.
func lackedByNearest(q *podQuestion, g *report.Group) (lacks []plugins.Figure, nodes int) {
	table := plugins.ShortageTableOf(q.Question)
	if len(g.Rejections) == 1 && g.Rejects(names.NodeResourcesFit) && len(g.Nodes) == g.Count {
		if lacks = table.LackAlike(g.Nodes); lacks != nil {
			return lacks, g.Count
		}
	}
	return table.ByName(g.Nodes[0]), 1
}

// loneCause is the only reason of a group: a plugin, or report.CordonWord for a
// cordon and its taint; "" where there are several, or where it holds for all nodes.
func loneCause(g *report.Group) string {
	switch {
	case len(g.Rejections) == 0 || g.OverAllNodes():
		return ""
	case len(g.ClauseList()) == 1 && g.ClauseList()[0] == report.CordonWord:
		return report.CordonWord
	case len(g.Rejections) == 1:
		return g.Rejections[0].Plugin
	}
	return ""
}

func figureOf(figures []plugins.Figure, name corev1.ResourceName) *plugins.Figure {
	for i := range figures {
		if figures[i].Resource == name {
			return &figures[i]
		}
	}
	return nil
}
