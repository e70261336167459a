package plugins

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// NodeResourcesFit names every resource that a node has too little of, with the sum
// behind it.
var NodeResourcesFit = explainer{
	Shape: func(q *Question, r NodeRejection) string {
		figures := Shortages(q, r)
		if len(figures) == 1 {
			return string(figures[0].Resource)
		}
		var names []string
		for _, f := range figures {
			names = append(names, string(f.Resource))
		}
		return strings.Join(names, ",")
	},
	Shortage: func(q *Question, r NodeRejection) float64 {
		var sum float64
		for _, f := range Shortages(q, r) {
			sum += float64(f.Short) / float64(f.Wanted)
		}
		return sum
	},
	Figures: Shortages,
	Cause:   fitCause,
	Words:   fitWords,
}

// ShortageTable is what an explanation knows of its nodes' shortages.
type ShortageTable struct {
	Wanted  fwk.Resource // by the pod, summed once
	options noderesources.ResourceRequestsOptions
	ignored *config.NodeResourcesFitArgs // what the profile leaves to others; nil: nothing
	dra     fwk.SharedDRAManager
	Rows    []ShortageRow             // by the node's place among those asked about
	others  map[fwk.NodeInfo][]Figure // of nodes that have no place of their own there
	spare   []Figure                  // room for the figures of more nodes
}

// ShortageRow is what one node has too little of, as the plugin saw it.
type ShortageRow struct {
	Node    fwk.NodeInfo // nil: nobody asked yet
	Figures []Figure
}

// ShortageTableOf holds the plugin's own options, so that Fits sees what it saw.
func ShortageTableOf(q *Question) *ShortageTable {
	type tableKey struct{}
	return Remember(q, tableKey{}, func() *ShortageTable {
		gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
		info := q.PodInfo
		if info == nil {
			info, _ = framework.NewPodInfo(q.Pod)
		}
		t := &ShortageTable{Wanted: info.CalculateResource().Resource, options: noderesources.ResourceRequestsOptions{
			EnablePodLevelResources:                            gates.EnablePodLevelResources,
			EnableDRAExtendedResource:                          gates.EnableDRAExtendedResource,
			EnableInPlacePodVerticalScalingSchedulerPreemption: gates.EnableInPlacePodVerticalScalingSchedulerPreemption,
		}}
		if gates.EnableDRAExtendedResource {
			t.dra = q.DRA
		}
		t.ignored, _ = q.Args[names.NodeResourcesFit].(*config.NodeResourcesFitArgs)
		nodes, err := q.Nodes.NodeInfos().List()
		if err == nil {
			t.Rows = make([]ShortageRow, len(nodes))
		}
		return t
	})
}

// ByName are the shortages of a node that was refused for any.
func (t *ShortageTable) ByName(node string) []Figure {
	at := slices.IndexFunc(t.Rows, func(row ShortageRow) bool { return row.Node != nil && row.Node.Node().Name == node })
	if at < 0 {
		return nil
	}
	return t.Rows[at].Figures
}

// Shortages are the resources that r's node has too little of: pods, cpu,
// memory and ephemeral-storage, then the others by name.
func Shortages(q *Question, r NodeRejection) []Figure {
	if r.Node == nil {
		return nil
	}
	return ShortageTableOf(q).at(q, r)
}

// at looks r's node up by its place, or works its shortages out.
func (t *ShortageTable) at(q *Question, r NodeRejection) []Figure {
	if r.At < len(t.Rows) {
		row := &t.Rows[r.At]
		if row.Node == nil {
			row.Node, row.Figures = r.Node, withoutOverflow(t.insufficient(q, r.Node))
		}
		if row.Node == r.Node {
			return row.Figures
		}
	}
	found, ok := t.others[r.Node]
	if !ok {
		if t.others == nil {
			t.others = map[fwk.NodeInfo][]Figure{}
		}
		found = withoutOverflow(t.insufficient(q, r.Node))
		t.others[r.Node] = found
	}
	return found
}

// insufficient finds what the pod finds too little of on node. Where it wants an
// extended resource the scheduler's own code is asked, which sums the pod's
// requests again for each node; the four plain ones are compared as that does.
func (t *ShortageTable) insufficient(q *Question, node fwk.NodeInfo) []Figure {
	if len(t.Wanted.GetScalarResources()) == 0 && !t.options.EnableInPlacePodVerticalScalingSchedulerPreemption {
		return t.Plain(node)
	}
	return t.Fits(q.Pod, node)
}

// Plain is Fits for a pod that wants pods, cpu, memory and ephemeral-storage only.
func (t *ShortageTable) Plain(node fwk.NodeInfo) []Figure {
	if cap(t.spare)-len(t.spare) < plainResources {
		t.spare = make([]Figure, 0, plainResources*64)
	}
	from := len(t.spare)
	compare := func(name corev1.ResourceName, wanted, requested, allocatable int64) {
		if wanted > 0 && wanted > allocatable-requested {
			t.spare = append(t.spare, Figure{name, wanted, requested, allocatable, wanted + requested - allocatable})
		}
	}
	room, used := node.GetAllocatable(), node.GetRequested()
	compare(corev1.ResourcePods, 1, int64(len(node.GetPods())), int64(room.GetAllowedPodNumber()))
	compare(corev1.ResourceCPU, t.Wanted.GetMilliCPU(), used.GetMilliCPU(), room.GetMilliCPU())
	compare(corev1.ResourceMemory, t.Wanted.GetMemory(), used.GetMemory(), room.GetMemory())
	compare(corev1.ResourceEphemeralStorage, t.Wanted.GetEphemeralStorage(), used.GetEphemeralStorage(), room.GetEphemeralStorage())
	return slices.Clip(t.spare[from:])
}

// plainResources is how many there are that every node has.
const plainResources = 4

// Fits asks the scheduler's own code what pod finds too little of.
func (t *ShortageTable) Fits(pod *corev1.Pod, node fwk.NodeInfo) []Figure {
	missing := noderesources.Fits(pod, node, t.dra, t.options)
	found := make([]Figure, 0, len(missing))
	for _, m := range missing {
		if t.ignores(m.ResourceName) {
			continue
		}
		found = append(found, Figure{
			Resource: m.ResourceName, Wanted: m.Requested, Requested: m.Used, Allocatable: m.Capacity,
			Short: m.Requested + m.Used - m.Capacity,
		})
	}
	if len(found) > 1 { // Fits walks the scalar resources in no order
		slices.SortStableFunc(found, func(a, b Figure) int {
			return cmp.Compare(report.ResourceRank(a.Resource), report.ResourceRank(b.Resource))
		})
	}
	return found
}

// ignores says whether the profile leaves a resource to others, which Fits does
// not know of: an extended one, by its name or its group.
func (t *ShortageTable) ignores(name corev1.ResourceName) bool {
	if t.ignored == nil || !v1helper.IsExtendedResourceName(name) {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(t.ignored.IgnoredResources, string(name)) || slices.Contains(t.ignored.IgnoredResourceGroups, group)
}

// fitWords says what the nodes need more of, each figure exact in the sentence.
func fitWords(q *Question, rs []NodeRejection) Words {
	if len(Shortages(q, rs[0])) == 0 { // a resource that the profile counts and Fits does not
		return reasonOnly(rs)
	}
	if len(rs) == 1 {
		w := Words{
			What:  predicates(rs, func(r NodeRejection, _ int) string { return fitPredicate(q, r) }),
			Short: ShortOf(Shortages(q, rs[0]), 1),
		}
		if noneAllocatable([][]Figure{Shortages(q, rs[0])}) != "" {
			w.Short += " (0 allocatable)"
		}
		return w
	}
	spans := fitSpans(q, rs)
	w := Words{What: spansSentence(rs, spans)}
	all := make([][]Figure, len(rs))
	for i, r := range rs {
		all[i] = Shortages(q, r)
	}
	if without := noneAllocatable(all); without != "" {
		w.Short = without
		return w
	}
	if lacks := LackAlike(all); lacks != nil {
		w.Short = "each " + ShortOf(lacks, 1)
		return w
	}
	said := closestFirst(q, rs)
	w.Short, w.Wider = said[0], said[1:]
	if len(w.Wider) == 0 {
		w.Wider = nil
	}
	return w
}

// noneAllocatable says of nodes that lack the same resources that they have none of these, in use or not, as without a
// device plugin: "nvidia.com/gpu 0 allocatable"; "" of others.
func noneAllocatable(nodes [][]Figure) string {
	var names []string
	for _, figures := range nodes {
		if slices.ContainsFunc(figures, func(f Figure) bool { return f.Allocatable > 0 || f.Resource == corev1.ResourcePods }) {
			return ""
		}
	}
	for _, f := range nodes[0] {
		names = append(names, string(f.Resource))
	}
	return strings.Join(names, ", ") + " 0 allocatable"
}

// fitPredicate is the sum behind one node's rejection: "needs cpu 350m more: the pod
// requests 4, free 3.65 = allocatable 15.9 − requested 12.25".
func fitPredicate(q *Question, r NodeRejection) string {
	var all []string
	for _, f := range Shortages(q, r) {
		said := fmt.Sprintf("%s: the pod requests %s, free %s = allocatable %s − requested %s",
			needs(f.Resource, quantity.Exact(f.Resource, f.Short), 1), quantity.Exact(f.Resource, f.Wanted),
			quantity.Exact(f.Resource, f.Allocatable-f.Requested), quantity.Exact(f.Resource, f.Allocatable), quantity.Exact(f.Resource, f.Requested))
		if f.Wanted > f.Allocatable {
			said += " (the pod requests more than is allocatable)"
		}
		all = append(all, said)
	}
	return strings.Join(all, "; ")
}

// needs is the predicate of so many nodes that need more of a resource.
func needs(resource corev1.ResourceName, more string, nodes int) string {
	if resource == corev1.ResourcePods {
		return grammar.Agree(nodes, "has reached its", "have reached their") + " pod limit (pods: " + more + " more needed)"
	}
	return fmt.Sprintf("%s %s %s more", grammar.Agree(nodes, "needs", "need"), resource, more)
}

// fitSpan holds the least and the greatest of each number over some nodes.
type fitSpan struct {
	Extent
	leastFree, greatestFree int64
}

// fitSpans are the ranges of the figures of nodes that lack the same resources.
func fitSpans(q *Question, rs []NodeRejection) []fitSpan {
	return widened(nil, q, rs)
}

// widened are the ranges that take in more nodes which lack the same resources.
func widened(spans []fitSpan, q *Question, more []NodeRejection) []fitSpan {
	known := ShortageTableOf(q)
	for _, r := range more {
		figures := known.at(q, r)
		if spans == nil {
			for _, f := range figures {
				spans = append(spans, fitSpan{Extent{f, f}, f.Allocatable - f.Requested, f.Allocatable - f.Requested})
			}
			continue
		}
		for j, f := range figures {
			s := &spans[j]
			s.Widen(f)
			s.leastFree, s.greatestFree = min(s.leastFree, f.Allocatable-f.Requested), max(s.greatestFree, f.Allocatable-f.Requested)
		}
	}
	return spans
}

// spansSentence gives a group's figures as ranges.
func spansSentence(rs []NodeRejection, spans []fitSpan) string {
	var all []string
	for _, s := range spans {
		name := s.Least.Resource
		all = append(all, fmt.Sprintf("%s: the pod requests %s, free %s, allocatable %s, requested %s",
			needs(name, quantity.ExactRange(name, s.Least.Short, s.Greatest.Short), len(rs)), quantity.ExactRange(name, s.Least.Wanted, s.Greatest.Wanted),
			quantity.ExactRange(name, s.leastFree, s.greatestFree), quantity.ExactRange(name, s.Least.Allocatable, s.Greatest.Allocatable),
			quantity.ExactRange(name, s.Least.Requested, s.Greatest.Requested)))
	}
	return listNodes(rs, grammar.Many) + " " + strings.Join(all, "; ")
}

// ShortOf is the predicate of so many nodes that lack the same: "needs cpu 350m, memory 2Gi more",
// "need cpu 350m more each", "have 29 of 29 pods".
func ShortOf(figures []Figure, nodes int) string {
	var all []string
	limit := ""
	for _, f := range figures {
		if f.Resource == corev1.ResourcePods {
			limit = podSlots(f, nodes)
			continue
		}
		all = append(all, string(f.Resource)+" "+quantity.RoundedUp(f.Resource, f.Short))
	}
	switch {
	case len(all) == 0:
		return limit
	case limit != "":
		limit += ", "
	}
	amounts := strings.Join(all, ", ")
	return limit + grammar.Agree(nodes, "needs "+amounts+" more", "need "+amounts+" more each")
}

// podSlots is the predicate of so many nodes that take no more pods, with the number of pods where there is one limit.
func podSlots(f Figure, nodes int) string {
	if f.Allocatable == 0 {
		return grammar.Agree(nodes, "has reached its pod limit", "have reached their pod limit")
	}
	return fmt.Sprintf("%s %d of %d pods", grammar.Agree(nodes, "has", "have"), f.Requested, f.Allocatable)
}

// withoutPodLimit are figures of several nodes whose pod limits differ: ShortOf then tells none.
func withoutPodLimit(figures []Figure) []Figure {
	told := slices.Clone(figures)
	for i := range told {
		if told[i].Resource == corev1.ResourcePods {
			told[i].Requested, told[i].Allocatable = 0, 0
		}
	}
	return told
}

// ShortBeside is the predicate of so many nodes that lack the same, beside the name of the resource,
// which it does not repeat: "needs 350m more", "need 350m more".
func ShortBeside(figures []Figure, nodes int) string {
	if len(figures) == 1 && figures[0].Resource != corev1.ResourcePods {
		return grammar.Agree(nodes, "needs ", "need ") + byHowMuch(figures, figures) + " more"
	}
	return ShortOf(figures, nodes)
}

// LackAlike are the figures of nodes that all lack as much as the first of them does, without the pod limit where
// theirs differ; nil where they do not lack alike, and without nodes.
func LackAlike(nodes [][]Figure) []Figure {
	if len(nodes) == 0 {
		return nil
	}
	first, limits := nodes[0], true
	for _, node := range nodes {
		if !slices.EqualFunc(node, first, func(a, b Figure) bool { return a.Resource == b.Resource && a.Short == b.Short }) {
			return nil
		}
		limits = limits && slices.EqualFunc(node, first, func(a, b Figure) bool {
			return a.Resource != corev1.ResourcePods || a.Allocatable == b.Allocatable
		})
	}
	if !limits {
		return withoutPodLimit(first)
	}
	return first
}

// LackAlike is LackAlike of nodes by their names; nil where one is not in the table.
func (t *ShortageTable) LackAlike(nodes []string) []Figure {
	in := sets.New(nodes...)
	var all [][]Figure
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Node != nil && in.Has(row.Node.Node().Name) {
			all = append(all, row.Figures)
			in.Delete(row.Node.Node().Name)
		}
	}
	if in.Len() > 0 {
		return nil
	}
	return LackAlike(all)
}

// closestFirst names the closest node, then one more each time, with what each needs,
// and sums the rest up: "cpu: std-b-02 needs 350m, 2 others 1.2–3.1".
func closestFirst(q *Question, rs []NodeRejection) []string {
	most := min(len(rs), grammar.Many)
	closest := Shortages(q, rs[0])
	named, separator := []string{rs[0].Name() + " " + ShortOf(closest, 1)}, "; "
	if len(closest) == 1 {
		named[0], separator = fmt.Sprintf("%s: %s needs %s", closest[0].Resource, rs[0].Name(), byHowMuch(closest, closest)), ", "
	}
	for _, r := range rs[1:most] {
		named = append(named, r.Name()+" "+byHowMuch(Shortages(q, r), Shortages(q, r)))
	}
	said := make([]string, most)
	rest := fitSpans(q, rs[most:])
	for n := most; n > 0; n-- {
		all := slices.Clip(named[:n])
		if n < len(rs) {
			var least, greatest []Figure
			for _, s := range rest {
				least, greatest = append(least, s.Least), append(greatest, s.Greatest)
			}
			all = append(all, grammar.Count(len(rs)-n, "other", "others")+" "+byHowMuch(least, greatest))
		}
		said[n-1] = strings.Join(all, separator)
		rest = widened(rest, q, rs[n-1:n])
	}
	return said
}

// byHowMuch is a shortage without the resource's name, as long as there is one.
func byHowMuch(least, greatest []Figure) string {
	var all []string
	for i, f := range least {
		said := quantity.RoundedUpRange(f.Resource, f.Short, greatest[i].Short)
		if len(least) > 1 {
			said = string(f.Resource) + " " + said
		}
		all = append(all, said)
	}
	return strings.Join(all, ", ")
}

// withoutOverflow are the figures whose amounts are true. What was lacking by others
// is told without figures.
func withoutOverflow(figures []Figure) []Figure {
	wrong := func(f Figure) bool { return f.Wanted < 0 || f.Requested < 0 || f.Allocatable < 0 || f.Short < 0 }
	if !slices.ContainsFunc(figures, wrong) { // nearly always
		return figures
	}
	return slices.DeleteFunc(slices.Clone(figures), wrong)
}

// TooLittle says that of one resource.
func (f Figure) TooLittle() bool {
	return f.Wanted > f.Allocatable && f.Resource != corev1.ResourcePods
}

// Extent is the least and the greatest of one figure over some nodes.
type Extent struct{ Least, Greatest Figure }

// Widen takes in one figure more.
func (s *Extent) Widen(f Figure) {
	s.Least.Wanted, s.Greatest.Wanted = min(s.Least.Wanted, f.Wanted), max(s.Greatest.Wanted, f.Wanted)
	s.Least.Requested, s.Greatest.Requested = min(s.Least.Requested, f.Requested), max(s.Greatest.Requested, f.Requested)
	s.Least.Allocatable, s.Greatest.Allocatable = min(s.Least.Allocatable, f.Allocatable), max(s.Greatest.Allocatable, f.Allocatable)
	s.Least.Short, s.Greatest.Short = min(s.Least.Short, f.Short), max(s.Greatest.Short, f.Short)
}

// Held is what a pod holds of a resource, as the scheduler counts.
func Held(info fwk.PodInfo, name corev1.ResourceName) int64 {
	counted := info.CalculateResource().Resource
	switch name {
	case corev1.ResourcePods:
		return 1
	case corev1.ResourceCPU:
		return counted.GetMilliCPU()
	case corev1.ResourceMemory:
		return counted.GetMemory()
	case corev1.ResourceEphemeralStorage:
		return counted.GetEphemeralStorage()
	}
	return counted.GetScalarResources()[name]
}
