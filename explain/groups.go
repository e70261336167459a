package explain

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// group is the nodes with the same refusals: the same plugins, each with the
// same shape.
type group struct {
	nodes    []int // indices into the matrix
	refusing []int // plugins whose Filter or PreFilter refuses them
	fits     *bool
	distance float64 // of its nearest node
	fixed    int     // refusals that no pod's end changes
}

// step is one more refusal on the way to a group.
type step struct {
	from       int
	plugin     int
	resolvable bool
	shape      string
}

// grouping collects nodes into groups.
type grouping struct {
	e      *Engine
	q      *plugins.Question
	m      *matrix
	steps  map[step]int
	groups map[int]*group
	order  []*group // as first met
}

// Places in the walk where no plugin has refused yet.
const (
	nothingRefuses = -1
	undecidedOnly  = -2
)

// group sorts the nodes of the matrix into groups, nearest first: those that fit
// come first, then those that are not decided, then those that the fewest
// plugins refuse, then those whose nearest node is short of the least (the share
// of what is wanted that is missing, summed over the refusals), then those that
// the end of pods could let it in on, then in the order of the plugins that
// refuse, then the larger ones, then by name.
func (e *Engine) group(q *plugins.Question, m *matrix) []*group {
	g := &grouping{e: e, q: q, m: m, steps: map[step]int{}, groups: map[int]*group{}}
	for i := range m.nodes {
		g.add(i)
	}
	distances := make([]float64, len(m.nodes))
	for _, group := range g.order {
		group.near(e, q, m, distances)
	}
	slices.SortStableFunc(g.order, func(a, b *group) int {
		return cmp.Or(
			cmp.Compare(report.FitRank(a.fits), report.FitRank(b.fits)),
			cmp.Compare(len(a.refusing), len(b.refusing)),
			cmp.Compare(a.distance, b.distance),
			cmp.Compare(a.fixed, b.fixed),
			slices.Compare(a.refusing, b.refusing),
			cmp.Compare(len(b.nodes), len(a.nodes)),
			strings.Compare(m.nodes[a.nodes[0]].Node().Name, m.nodes[b.nodes[0]].Node().Name),
		)
	})
	return g.order
}

func (g *grouping) add(i int) {
	at := nothingRefuses
	var refusing [16]int
	found, fixed := refusing[:0], 0
	for _, k := range g.m.said {
		status := g.m.refuses(k, i)
		if status == nil {
			continue
		}
		found = append(found, k)
		shape := ""
		if g.m.answers[k].pre == nil { // a PreFilter refusal is the same for all
			shape = g.shape(k, i, status)
		}
		if status.Code() != fwk.Unschedulable {
			fixed++
		}
		at = g.walk(step{at, k, status.Code() == fwk.Unschedulable, shape})
	}
	if len(found) == 0 && g.m.fits(i) == nil {
		at = undecidedOnly
	}
	into, ok := g.groups[at]
	if !ok {
		into = &group{refusing: slices.Clone(found), fits: g.m.fits(i), fixed: fixed}
		g.groups[at] = into
		g.order = append(g.order, into)
	}
	into.nodes = append(into.nodes, i)
}

func (g *grouping) walk(s step) int {
	to, ok := g.steps[s]
	if !ok {
		to = len(g.steps)
		g.steps[s] = to
	}
	return to
}

// shape is what the plugin's refusal of node i has to have in common with others
// to be told in one line.
func (g *grouping) shape(k, i int, status *fwk.Status) string {
	if shape := plugins.Explainers[g.e.plugins[k].name].Shape; shape != nil {
		return shape(g.q, g.m.refused(g.e, k, i))
	}
	if reasons := status.Reasons(); len(reasons) == 1 {
		return reasons[0]
	}
	return status.Message()
}

// podless are the plugins that look at no pods but the one in question: what is
// nominated to a node has no part in their refusal.
var podless = map[string]bool{
	names.NodeName: true, names.NodeUnschedulable: true, names.TaintToleration: true, names.NodeAffinity: true,
}

// refused is what plugin k saw when it refused node i.
func (m *matrix) refused(e *Engine, k, i int) plugins.Refused {
	a := &m.answers[k]
	r := plugins.Refused{Plugin: e.plugins[k].name, State: m.state}
	if a.pre != nil {
		r.Status = a.pre
		return r
	}
	r.Node, r.Status, r.At = m.nodes[i], a.column[i], i
	if a.early[i] && !podless[r.Plugin] {
		v := m.views[i]
		r.Node, r.State, r.Nominated = v.node, v.state, v.pods
	}
	return r
}

// refusals are what plugin k saw when it refused some nodes. The next call takes
// the room that they are in.
func (m *matrix) refusals(e *Engine, k int, nodes []int) []plugins.Refused {
	m.room = slices.Grow(m.room[:0], len(nodes))
	for _, i := range nodes {
		m.room = append(m.room, m.refused(e, k, i))
	}
	return m.room
}

// near orders the group's nodes, nearest first, and notes how far the first is.
// Distances has room for every node of the matrix.
func (g *group) near(e *Engine, q *plugins.Question, m *matrix, distances []float64) {
	for _, k := range g.refusing {
		explainer := plugins.Explainers[e.plugins[k].name]
		if explainer.Shortage == nil && explainer.Figures == nil {
			for _, i := range g.nodes {
				distances[i]++
			}
			continue
		}
		for _, i := range g.nodes {
			distances[i] += explainer.Distance(q, m.refused(e, k, i))
		}
	}
	slices.SortFunc(g.nodes, func(a, b int) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), strings.Compare(m.nodes[a].Node().Name, m.nodes[b].Node().Name))
	})
	g.distance = distances[g.nodes[0]]
}

// distance is how far one plugin's refusal is from a yes: the share of what is
// wanted that is missing, the worst of its figures; 1 where it is not a matter
// of degree.
func distance(q *plugins.Question, r plugins.Refused) float64 {
	return plugins.Explainers[r.Plugin].Distance(q, r)
}

// tell writes the group, and one answer for each of its nodes if nodes is set.
func (g *group) tell(e *Engine, q *plugins.Question, m *matrix, nodes bool) (report.Group, []report.NodeResult) {
	told := report.Group{Count: len(g.nodes), Fits: g.fits, Nodes: make([]string, len(g.nodes)), Refusals: []report.Refusal{}}
	var results []report.NodeResult
	for n, i := range g.nodes {
		told.Nodes[n] = m.nodes[i].Node().Name
		if nodes {
			results = append(results, report.NodeResult{Name: told.Nodes[n], Fits: g.fits, Refusals: []report.Refusal{}})
		}
	}
	for _, k := range g.refusing {
		if m.answers[k].pre != nil {
			refusal := refusal(q, []plugins.Refused{m.refused(e, k, 0)})
			refusal.PreFilter = true
			told.Refusals = append(told.Refusals, refusal)
			for n := range results {
				results[n].Refusals = append(results[n].Refusals, refusal)
			}
			continue
		}
		all := m.refusals(e, k, g.nodes)
		told.Refusals = append(told.Refusals, refusal(q, all))
		for n := range results {
			results[n].Refusals = append(results[n].Refusals, refusal(q, all[n:n+1]))
		}
	}
	return told, results
}

// refusal tells what one plugin has against some nodes, nearest first.
func refusal(q *plugins.Question, rs []plugins.Refused) report.Refusal {
	status := rs[0].Status
	told := report.Refusal{
		Plugin:     rs[0].Plugin,
		Reason:     rs[0].OwnReason(),
		Resolvable: status.Code() == fwk.Unschedulable,
		Numbers:    []report.Number{},
	}
	told.What, told.Short = told.Reason, told.Reason
	explainer := plugins.Explainers[told.Plugin]
	if explainer.Words != nil {
		if w := explainer.Words(q, rs); w.What != "" {
			told.What, told.Short, told.Bar, told.Wider = w.What, w.Short, w.Bar, w.Wider
		}
	}
	if told.Bar == "" {
		told.Bar = told.Short
	}
	if told.Wider == nil && len(rs) > 1 {
		told.Wider = plugins.WithNames(rs, told.Short)
	}
	if explainer.Figures != nil && rs[0].Node != nil {
		told.Numbers = numbers(q, explainer.Figures, rs)
	}
	return told
}

// numbers merges the figures of some nodes into ranges, by resource.
func numbers(q *plugins.Question, figures func(*plugins.Question, plugins.Refused) []plugins.Figure, rs []plugins.Refused) []report.Number {
	var order []corev1.ResourceName
	spans := map[corev1.ResourceName]*plugins.Extent{}
	for _, r := range rs {
		for _, f := range figures(q, r) {
			s, ok := spans[f.Resource]
			if !ok {
				order = append(order, f.Resource)
				spans[f.Resource] = &plugins.Extent{Least: f, Greatest: f}
				continue
			}
			s.Widen(f)
		}
	}
	told := make([]report.Number, 0, len(order))
	for _, name := range order {
		s := spans[name]
		told = append(told, report.Number{
			Resource:    string(name),
			Wanted:      quantity.CanonicalRange(name, s.Least.Wanted, s.Greatest.Wanted),
			Requested:   quantity.CanonicalRange(name, s.Least.Requested, s.Greatest.Requested),
			Allocatable: quantity.CanonicalRange(name, s.Least.Allocatable, s.Greatest.Allocatable),
			Short:       quantity.CanonicalRange(name, s.Least.Short, s.Greatest.Short),
		})
	}
	return told
}
