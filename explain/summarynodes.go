package explain

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// tellUnschedulable tells apart why no node fits: too large for any, no room, no
// room on one node, only one thing between, or as it comes, the nearest first.
func tellUnschedulable(q *question, r *Report) overall {
	if len(r.Groups) == 0 {
		return overall{summary: "No node fits: the cluster has no nodes.", state: "no node fits", why: "no nodes"}
	}
	if told, ok := tellTooLarge(q, r); ok {
		return told
	}
	told := tellNearest(q, &r.Groups[0])
	lone, cause := loneGroups(r)
	switch cause {
	case names.NodeResourcesFit:
		told.summary = tellRoom(q, lone)
	case cordonWord, names.TaintToleration, names.NodeAffinity:
		told.summary = tellBetween(lone, cause)
	}
	return told
}

// tellNearest names the nearest node and all that it lacks.
func tellNearest(q *question, g *Group) overall {
	told := overall{state: "no node fits"}
	near := *g
	if before := preFilterRefusals(g); len(before) > 0 { // no node is nearer than another
		near.Refusals = before
		told.why = strings.Join(near.clauses(), "; ")
		told.summary = "No node fits: " + told.why + "."
		return told
	}
	near.Nodes, near.Refusals = g.Nodes[:1], slices.Clone(g.Refusals)
	for i, refusal := range near.Refusals {
		if lacks := shortageTableOf(q).byName(g.Nodes[0]); refusal.Plugin == names.NodeResourcesFit && len(lacks) > 0 {
			near.Refusals[i].Short = shortOf(lacks)
		}
	}
	told.why = strings.Join(near.clauses(), "; ")
	who := list(g.Nodes, 1)
	if g.Count == 1 || refusedBy(g, names.NodeResourcesFit) {
		who = g.Nodes[0]
		told.why = who + ": " + told.why
	}
	told.summary = fmt.Sprintf("No node fits. Nearest: %s, %s.", who, strings.Join(near.clauses(), " and "))
	return told
}

// preFilterRefusals are those that hold for all nodes at once.
func preFilterRefusals(g *Group) []Refusal {
	return slices.DeleteFunc(slices.Clone(g.Refusals), func(r Refusal) bool { return !r.PreFilter })
}

func refusedBy(g *Group, plugin string) bool {
	return slices.ContainsFunc(g.Refusals, func(r Refusal) bool { return r.Plugin == plugin })
}

// loneGroups are the groups with one thing in the way, and what that is if it is
// the same plugin's for all of them; cordonWord for a cordon and its taint.
func loneGroups(r *Report) (lone []*Group, cause string) {
	for i := range r.Groups {
		g := &r.Groups[i]
		one := loneCause(g)
		if one == "" {
			continue
		}
		lone = append(lone, g)
		if len(lone) > 1 && one != cause {
			one = "several"
		}
		cause = one
	}
	return lone, cause
}

func loneCause(g *Group) string {
	switch {
	case len(g.Refusals) == 0 || g.overAllNodes():
		return ""
	case len(g.clauses()) == 1 && g.clauses()[0] == cordonWord:
		return cordonWord
	case len(g.Refusals) == 1:
		return g.Refusals[0].Plugin
	}
	return ""
}

// tellBetween is for nodes that would fit but for one thing each.
func tellBetween(lone []*Group, cause string) string {
	var all []string
	for _, g := range lone {
		bar := g.Refusals[0].Bar
		if cause == cordonWord {
			bar = "being cordoned, " + list(g.Nodes, fewNames)
		}
		all = append(all, fmt.Sprintf("%s but for %s", plural(g.Count, "node"), bar))
	}
	what := map[string]string{cordonWord: "a cordon", names.TaintToleration: "a taint", names.NodeAffinity: "a label"}[cause]
	return fmt.Sprintf("Only %s is in the way: it would fit %s.", what, list(all, fewNames))
}

// tellTooLarge is for a pod that not even an empty cluster would hold.
func tellTooLarge(q *question, r *Report) (overall, bool) {
	nodes, err := q.nodes.NodeInfos().List()
	if err != nil || len(nodes) == 0 {
		return overall{}, false
	}
	var common []figure
	for i, node := range nodes {
		over := slices.DeleteFunc(slices.Clone(shortageTableOf(q).byName(node.Node().Name)), func(f figure) bool { return f.Wanted <= f.Allocatable })
		if len(over) == 0 {
			return overall{}, false
		}
		if i == 0 {
			common = over
		}
		common = slices.DeleteFunc(common, func(f figure) bool { return figureOf(over, f.Resource) == nil })
		for j := range common {
			common[j].Allocatable = max(common[j].Allocatable, figureOf(over, common[j].Resource).Allocatable)
		}
	}
	if len(common) == 0 {
		requests := requestWords(q)
		return overall{
			summary: fmt.Sprintf("Larger than any node: no node has %s allocatable.", requests),
			state:   "too large", why: requests,
		}, true
	}
	f := common[0]
	wanted, most := roundedUp(f.Resource, f.Wanted), roundedDown(f.Resource, f.Allocatable)
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

func figureOf(figures []figure, name corev1.ResourceName) *figure {
	for i := range figures {
		if figures[i].Resource == name {
			return &figures[i]
		}
	}
	return nil
}

// requestWords are the pod's requests in one line: "cpu 32 and memory 64Gi".
func requestWords(q *question) string {
	counted := q.podInfo.CalculateResource().Resource
	all := []figure{
		{Resource: corev1.ResourceCPU, Wanted: counted.GetMilliCPU()},
		{Resource: corev1.ResourceMemory, Wanted: counted.GetMemory()},
		{Resource: corev1.ResourceEphemeralStorage, Wanted: counted.GetEphemeralStorage()},
	}
	for name, amount := range counted.GetScalarResources() {
		all = append(all, figure{Resource: name, Wanted: amount})
	}
	slices.SortFunc(all, func(a, b figure) int { return strings.Compare(resourceRank(a.Resource), resourceRank(b.Resource)) })
	var said []string
	for _, f := range all {
		if f.Wanted > 0 {
			said = append(said, fmt.Sprintf("%s %s", f.Resource, roundedUp(f.Resource, f.Wanted)))
		}
	}
	return strings.Join(said, " and ")
}

// tellRoom is for nodes that lack nothing but room: is there none, or none on
// one node.
func tellRoom(q *question, lone []*Group) string {
	const full = "The cluster is full for this pod: "
	var nodes [][]figure
	lacking := map[corev1.ResourceName]int{}
	for _, g := range lone {
		for _, name := range g.Nodes {
			nodes = append(nodes, shortageTableOf(q).byName(name))
			for _, f := range nodes[len(nodes)-1] {
				lacking[f.Resource]++
			}
		}
	}
	for _, f := range nodes[0] {
		if lacking[f.Resource] == len(nodes) {
			return tellOneResource(full, f, nodes)
		}
	}
	var all []string
	for name, count := range lacking {
		all = append(all, fmt.Sprintf("%d lack %s", count, name))
	}
	slices.Sort(all)
	return fmt.Sprintf("%sof the %d nodes that would take it %s.", full, len(nodes), strings.Join(all, ", "))
}

// tellOneResource is tellRoom where every node lacks the same resource.
func tellOneResource(full string, wanted figure, nodes [][]figure) string {
	name, sum, most, free := wanted.Resource, int64(0), int64(0), 0
	for _, figures := range nodes {
		f := figureOf(figures, name)
		if room := f.Allocatable - f.Requested; room > 0 {
			sum, most, free = sum+room, max(most, room), free+1
		}
	}
	switch {
	case name == corev1.ResourcePods:
		return full + "no node that would take it has room for one more pod."
	case most == 0:
		return fmt.Sprintf("%sno node that would take it has any %s free.", full, name)
	case sum >= wanted.Wanted:
		return fmt.Sprintf("Enough room in sum, on no one node: %s %s free on %s, at most %s on one, and it wants %s.", name,
			roundedDown(name, sum), plural(free, "node"), roundedDown(name, most), roundedUp(name, wanted.Wanted))
	}
	return fmt.Sprintf("%sno node that would take it has more than %s %s free.", full, name, roundedDown(name, most))
}
