package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
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

// nodeResourcesFit names every resource that a node has too little of, with the
// sum behind it.
var nodeResourcesFit = explainer{
	shape: func(q *question, r refused) string {
		figures := shortages(q, r)
		if len(figures) == 1 {
			return string(figures[0].Resource)
		}
		var names []string
		for _, f := range figures {
			names = append(names, string(f.Resource))
		}
		return strings.Join(names, ",")
	},
	shortage: func(q *question, r refused) float64 {
		var sum float64
		for _, f := range shortages(q, r) {
			sum += float64(f.Short) / float64(f.Wanted)
		}
		return sum
	},
	figures: shortages,
	words:   fitWords,
}

// shortageTable is what an explanation knows of its nodes' shortages.
type shortageTable struct {
	wanted  fwk.Resource // by the pod, summed once
	options noderesources.ResourceRequestsOptions
	ignored *config.NodeResourcesFitArgs // what the profile leaves to others; nil: nothing
	dra     fwk.SharedDRAManager
	rows    []shortageRow             // by the node's place among those asked about
	others  map[fwk.NodeInfo][]figure // of nodes that have no place of their own there
	spare   []figure                  // room for the figures of more nodes
}

// shortageRow is what one node has too little of, as the plugin saw it.
type shortageRow struct {
	node    fwk.NodeInfo // nil: nobody asked yet
	figures []figure
}

// shortageTableOf holds the plugin's own options, so that Fits sees what it saw.
func shortageTableOf(q *question) *shortageTable {
	type tableKey struct{}
	return remember(q, tableKey{}, func() *shortageTable {
		gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
		info := q.podInfo
		if info == nil {
			info, _ = framework.NewPodInfo(q.pod)
		}
		t := &shortageTable{wanted: info.CalculateResource().Resource, options: noderesources.ResourceRequestsOptions{
			EnablePodLevelResources:                            gates.EnablePodLevelResources,
			EnableDRAExtendedResource:                          gates.EnableDRAExtendedResource,
			EnableInPlacePodVerticalScalingSchedulerPreemption: gates.EnableInPlacePodVerticalScalingSchedulerPreemption,
		}}
		if gates.EnableDRAExtendedResource {
			t.dra = q.dra
		}
		t.ignored, _ = q.args[names.NodeResourcesFit].(*config.NodeResourcesFitArgs)
		nodes, err := q.nodes.NodeInfos().List()
		if err == nil {
			t.rows = make([]shortageRow, len(nodes))
		}
		return t
	})
}

// byName are the shortages of a node that was refused for any.
func (t *shortageTable) byName(node string) []figure {
	at := slices.IndexFunc(t.rows, func(row shortageRow) bool { return row.node != nil && row.node.Node().Name == node })
	if at < 0 {
		return nil
	}
	return t.rows[at].figures
}

// shortages are the resources that r's node has too little of: pods, cpu,
// memory and ephemeral-storage, then the others by name.
func shortages(q *question, r refused) []figure {
	if r.node == nil {
		return nil
	}
	return shortageTableOf(q).at(q, r)
}

// at looks r's node up by its place, or works its shortages out.
func (t *shortageTable) at(q *question, r refused) []figure {
	if r.at < len(t.rows) {
		row := &t.rows[r.at]
		if row.node == nil {
			row.node, row.figures = r.node, withoutOverflow(t.insufficient(q, r.node))
		}
		if row.node == r.node {
			return row.figures
		}
	}
	found, ok := t.others[r.node]
	if !ok {
		if t.others == nil {
			t.others = map[fwk.NodeInfo][]figure{}
		}
		found = withoutOverflow(t.insufficient(q, r.node))
		t.others[r.node] = found
	}
	return found
}

// insufficient finds what the pod finds too little of on node. Where it wants an
// extended resource the scheduler's own code is asked, which sums the pod's
// requests anew for each node; the four plain ones are compared as that does.
func (t *shortageTable) insufficient(q *question, node fwk.NodeInfo) []figure {
	if len(t.wanted.GetScalarResources()) == 0 && !t.options.EnableInPlacePodVerticalScalingSchedulerPreemption {
		return t.plain(node)
	}
	return t.fits(q.pod, node)
}

// plain is Fits for a pod that wants pods, cpu, memory and ephemeral-storage only.
func (t *shortageTable) plain(node fwk.NodeInfo) []figure {
	if cap(t.spare)-len(t.spare) < plainResources {
		t.spare = make([]figure, 0, plainResources*64)
	}
	from := len(t.spare)
	compare := func(name corev1.ResourceName, wanted, requested, allocatable int64) {
		if wanted > 0 && wanted > allocatable-requested {
			t.spare = append(t.spare, figure{name, wanted, requested, allocatable, wanted + requested - allocatable})
		}
	}
	room, used := node.GetAllocatable(), node.GetRequested()
	compare(corev1.ResourcePods, 1, int64(len(node.GetPods())), int64(room.GetAllowedPodNumber()))
	compare(corev1.ResourceCPU, t.wanted.GetMilliCPU(), used.GetMilliCPU(), room.GetMilliCPU())
	compare(corev1.ResourceMemory, t.wanted.GetMemory(), used.GetMemory(), room.GetMemory())
	compare(corev1.ResourceEphemeralStorage, t.wanted.GetEphemeralStorage(), used.GetEphemeralStorage(), room.GetEphemeralStorage())
	return slices.Clip(t.spare[from:])
}

// plainResources is how many there are that every node has.
const plainResources = 4

// fits asks the scheduler's own code what pod finds too little of.
func (t *shortageTable) fits(pod *corev1.Pod, node fwk.NodeInfo) []figure {
	missing := noderesources.Fits(pod, node, t.dra, t.options)
	found := make([]figure, 0, len(missing))
	for _, m := range missing {
		if t.ignores(m.ResourceName) {
			continue
		}
		found = append(found, figure{
			Resource: m.ResourceName, Wanted: m.Requested, Requested: m.Used, Allocatable: m.Capacity,
			Short: m.Requested + m.Used - m.Capacity,
		})
	}
	if len(found) > 1 { // Fits walks the scalar resources in no order
		slices.SortStableFunc(found, func(a, b figure) int {
			return cmp.Compare(report.ResourceRank(a.Resource), report.ResourceRank(b.Resource))
		})
	}
	return found
}

// ignores says whether the profile leaves a resource to others, which Fits does
// not know of: an extended one, by its name or its group.
func (t *shortageTable) ignores(name corev1.ResourceName) bool {
	if t.ignored == nil || !v1helper.IsExtendedResourceName(name) {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(t.ignored.IgnoredResources, string(name)) || slices.Contains(t.ignored.IgnoredResourceGroups, group)
}

// fitWords tells what the nodes are short of, each figure as an exact quantity.
func fitWords(q *question, rs []refused) words {
	if len(shortages(q, rs[0])) == 0 { // a resource that the profile counts and Fits does not
		return reasonOnly(rs)
	}
	if len(rs) == 1 {
		return words{What: sentences(rs, func(r refused) string { return fitSentence(q, r) }), Short: shortOf(shortages(q, rs[0]))}
	}
	spans := fitSpans(q, rs)
	w := words{What: spansSentence(rs, spans)}
	if same := !slices.ContainsFunc(spans, func(s fitSpan) bool { return s.least.Short != s.greatest.Short }); same {
		w.Short = shortOf(shortages(q, rs[0])) + " on each"
		return w
	}
	said := nearestFirst(q, rs)
	w.Short, w.Wider = said[0], said[1:]
	if len(w.Wider) == 0 {
		w.Wider = nil
	}
	return w
}

// fitSentence is the sum behind one node's refusal.
func fitSentence(q *question, r refused) string {
	var all []string
	for _, f := range shortages(q, r) {
		said := fmt.Sprintf("%s %s short: wants %s, free %s = allocatable %s − requested %s", f.Resource,
			quantity.Canonical(f.Resource, f.Short), quantity.Canonical(f.Resource, f.Wanted), quantity.Canonical(f.Resource, f.Allocatable-f.Requested),
			quantity.Canonical(f.Resource, f.Allocatable), quantity.Canonical(f.Resource, f.Requested))
		if f.Wanted > f.Allocatable {
			said += ", more than the node has in all"
		}
		all = append(all, said)
	}
	return strings.Join(all, "; ")
}

// fitSpan holds the least and the greatest of each number over some nodes.
type fitSpan struct {
	extent
	leastFree, greatestFree int64
}

// fitSpans are the ranges of the figures of nodes that lack the same resources.
func fitSpans(q *question, rs []refused) []fitSpan {
	return widened(nil, q, rs)
}

// widened are the ranges that take in more nodes which lack the same resources.
func widened(spans []fitSpan, q *question, more []refused) []fitSpan {
	known := shortageTableOf(q)
	for _, r := range more {
		figures := known.at(q, r)
		if spans == nil {
			for _, f := range figures {
				spans = append(spans, fitSpan{extent{f, f}, f.Allocatable - f.Requested, f.Allocatable - f.Requested})
			}
			continue
		}
		for j, f := range figures {
			s := &spans[j]
			s.widen(f)
			s.leastFree, s.greatestFree = min(s.leastFree, f.Allocatable-f.Requested), max(s.greatestFree, f.Allocatable-f.Requested)
		}
	}
	return spans
}

// spansSentence tells a group's figures as ranges.
func spansSentence(rs []refused, spans []fitSpan) string {
	var all []string
	for _, s := range spans {
		name := s.least.Resource
		all = append(all, fmt.Sprintf("%s %s short: wants %s, free %s, allocatable %s, requested %s", name,
			quantity.CanonicalRange(name, s.least.Short, s.greatest.Short), quantity.CanonicalRange(name, s.least.Wanted, s.greatest.Wanted),
			quantity.CanonicalRange(name, s.leastFree, s.greatestFree), quantity.CanonicalRange(name, s.least.Allocatable, s.greatest.Allocatable),
			quantity.CanonicalRange(name, s.least.Requested, s.greatest.Requested)))
	}
	return listNodes(rs, grammar.Many) + ": " + strings.Join(all, "; ")
}

// shortOf is the clause of one node: "cpu 350m, memory 2Gi short".
func shortOf(figures []figure) string {
	var all []string
	for _, f := range figures {
		all = append(all, string(f.Resource)+" "+quantity.RoundedUp(f.Resource, f.Short))
	}
	return strings.Join(all, ", ") + " short"
}

// nearestFirst names the nearest node, then one more each time, with what each is
// short of, and sums the rest up: "std-b-02: cpu 350m short; 2 more by 1.2–3.1".
func nearestFirst(q *question, rs []refused) []string {
	most := min(len(rs), grammar.Many)
	named := []string{rs[0].name() + ": " + shortOf(shortages(q, rs[0]))}
	for _, r := range rs[1:most] {
		named = append(named, r.name()+": "+byHowMuch(shortages(q, r), shortages(q, r)))
	}
	said := make([]string, most)
	rest := fitSpans(q, rs[most:])
	for n := most; n > 0; n-- {
		all := slices.Clip(named[:n])
		if n < len(rs) {
			var least, greatest []figure
			for _, s := range rest {
				least, greatest = append(least, s.least), append(greatest, s.greatest)
			}
			all = append(all, fmt.Sprintf("%d more by %s", len(rs)-n, byHowMuch(least, greatest)))
		}
		said[n-1] = strings.Join(all, "; ")
		rest = widened(rest, q, rs[n-1:n])
	}
	return said
}

// byHowMuch is a shortage without the resource's name, as long as there is one.
func byHowMuch(least, greatest []figure) string {
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
