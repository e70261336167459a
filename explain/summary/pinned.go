package summary

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// tellPinned is for a pod that can only run on some named nodes: the reasons of the
// others do not matter.
func tellPinned(q *podQuestion, r *report.Report) (overall, bool) {
	if q.found.Pinned == nil {
		return overall{}, false
	}
	wanted := sets.List(q.found.Pinned)
	left := *r
	left.Groups = nil
	for _, g := range r.Groups {
		there := func(node string) bool { return q.found.Pinned.Has(node) }
		if slices.ContainsFunc(g.Nodes, there) && !g.OverAllNodes() {
			left.Groups = append(left.Groups, g)
		}
	}
	who := grammar.List(wanted, grammar.Few)
	if len(left.Groups) == 0 {
		if slices.ContainsFunc(r.Groups, func(g report.Group) bool { return len(report.PreFilterRefusals(&g)) > 0 }) {
			return overall{}, false
		}
		return overall{
			summary: fmt.Sprintf("It can only run on %s, which %s not exist.", who, grammar.Agree(len(wanted), "does", "do")),
			state:   unschedulable, cause: "no such node", why: fmt.Sprintf("can only run on %s: no such node", who),
		}, true
	}
	told := tellNearest(q, r, &left.Groups[0])
	if len(wanted) > 1 || len(report.PreFilterRefusals(&left.Groups[0])) > 0 {
		return told, true
	}
	lacks := cmp.Or(told.lacks, told.why)
	if lacks == who { // the cause says it all
		lacks = told.cause
	}
	told.summary = fmt.Sprintf("It can only run on %s: %s.", who, lacks)
	if over := tooLittle(plugins.ShortageTableOf(q.Question).ByName(wanted[0])); len(over) > 0 {
		f := over[0]
		told.cause, told.over = report.TooLarge, f.Resource
		told.why = fmt.Sprintf("%s %s; %s has %s", f.Resource, quantity.RoundedUp(f.Resource, f.Wanted), who, quantity.RoundedDown(f.Resource, f.Allocatable))
		told.summary = fmt.Sprintf("Too large for %s, the only node that it can run on: it requests %s %s, %s has %s allocatable.", who, f.Resource,
			quantity.RoundedUp(f.Resource, f.Wanted), who, quantity.RoundedDown(f.Resource, f.Allocatable))
	}
	return told, true
}
