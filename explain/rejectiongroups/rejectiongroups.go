// Package rejectiongroups sorts nodes by what rejects a pod there: one line of an answer each.
package rejectiongroups

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Group is the nodes with the same rejections: the same plugins, each with the
// same shape.
type Group struct {
	Nodes     []int // indices into the matrix
	Rejecting []int // plugins whose Filter or PreFilter rejects them
	Fits      *bool
	reasons   int     // rejections, a cordon with its own taint counted once
	distance  float64 // of its nearest node
	closest   int     // nodes as near as that one: the first ones of Nodes
	fixed     int     // rejections that no pod's end changes
	small     int     // 1: the pod requests more than the nodes have allocatable
}

// cordonTaint is the shape of a rejection by nothing but the taint of a cordon.
const cordonTaint = corev1.TaintNodeUnschedulable + ":" + string(corev1.TaintEffectNoSchedule)

// step is one more rejection on the way to a group.
type step struct {
	from       int
	plugin     int
	resolvable bool
	shape      string
}

// grouping collects nodes into groups.
type grouping struct {
	q      *plugins.Question
	m      *scheduler.Matrix
	steps  map[step]int
	groups map[int]*Group
	order  []*Group // as first met
}

// Places in the walk where no plugin has rejected yet.
const (
	nothingRefuses = -1
	undecidedOnly  = -2
)

// Of sorts the nodes of the matrix into groups, nearest first: those that fit
// come first, then those that are not decided, then those that the fewest
// plugins reject (a cordon is one with its taint), then those that are large enough,
// then those whose nearest node is short of the least (the share of what is wanted
// that is missing, summed over the rejections), then those that the end of pods
// could let it in on, then in the order of the plugins that reject, then the larger
// ones, then by name. They are found once for each question: nobody changes them.
func Of(q *plugins.Question, m *scheduler.Matrix) []*Group {
	type groupsOf struct{ state *framework.CycleState }
	return plugins.Remember(q, groupsOf{m.State}, func() []*Group { return find(q, m) })
}

func find(q *plugins.Question, m *scheduler.Matrix) []*Group {
	g := &grouping{q: q, m: m, steps: map[step]int{}, groups: map[int]*Group{}}
	for i := range m.Nodes {
		g.add(i)
	}
	distances := make([]float64, len(m.Nodes))
	for _, group := range g.order {
		group.near(q, m, distances)
	}
	slices.SortStableFunc(g.order, func(a, b *Group) int {
		return cmp.Or(
			cmp.Compare(report.FitRank(a.Fits), report.FitRank(b.Fits)),
			cmp.Compare(a.reasons, b.reasons),
			cmp.Compare(a.small, b.small),
			cmp.Compare(a.distance, b.distance),
			cmp.Compare(a.fixed, b.fixed),
			slices.Compare(a.Rejecting, b.Rejecting),
			cmp.Compare(len(b.Nodes), len(a.Nodes)),
			strings.Compare(m.Nodes[a.Nodes[0]].Node().Name, m.Nodes[b.Nodes[0]].Node().Name),
		)
	})
	return g.order
}

func (g *grouping) add(i int) {
	at := nothingRefuses
	var refusing [16]int
	found, fixed, cordon, same, small := refusing[:0], 0, false, 0, 0
	for _, k := range g.m.Objecting {
		status := g.m.Rejects(k, i)
		if status == nil {
			continue
		}
		found = append(found, k)
		shape := ""
		if g.m.Answers[k].Pre == nil { // a PreFilter rejection is the same for all
			shape = g.shape(k, i, status)
		}
		if status.Code() != fwk.Unschedulable {
			fixed++
		}
		switch name := g.m.Profile.Plugins[k].Name; {
		case name == names.NodeResourcesFit && status.Code() != fwk.Unschedulable:
			small = 1
		case name == names.NodeUnschedulable:
			cordon = true
		case cordon && name == names.TaintToleration && shape == cordonTaint:
			same = 1
		}
		at = g.walk(step{at, k, status.Code() == fwk.Unschedulable, shape})
	}
	if len(found) == 0 && g.m.Fits(i) == nil {
		at = undecidedOnly
	}
	into, ok := g.groups[at]
	if !ok {
		into = &Group{Rejecting: slices.Clone(found), reasons: len(found) - same, Fits: g.m.Fits(i), fixed: fixed, small: small}
		g.groups[at] = into
		g.order = append(g.order, into)
	}
	into.Nodes = append(into.Nodes, i)
}

func (g *grouping) walk(s step) int {
	to, ok := g.steps[s]
	if !ok {
		to = len(g.steps)
		g.steps[s] = to
	}
	return to
}

// shape is what the plugin's rejection of node i has to have in common with others
// to be told in one line.
func (g *grouping) shape(k, i int, status *fwk.Status) string {
	if shape := plugins.Explainers[g.m.Profile.Plugins[k].Name].Shape; shape != nil {
		return shape(g.q, g.m.Rejection(k, i))
	}
	if reasons := status.Reasons(); len(reasons) == 1 {
		return reasons[0]
	}
	return status.Message()
}

// Tell writes the group, and one answer for each of its nodes if nodes is set.
func (g *Group) Tell(q *plugins.Question, m *scheduler.Matrix, nodes bool) (report.Group, []report.NodeResult) {
	told := report.Group{Count: len(g.Nodes), Fits: g.Fits, Nodes: make([]string, len(g.Nodes)), Rejections: []report.Rejection{}}
	var results []report.NodeResult
	for n, i := range g.Nodes {
		told.Nodes[n] = m.Nodes[i].Node().Name
		if nodes {
			results = append(results, report.NodeResult{Name: told.Nodes[n], Fits: g.Fits, Rejections: []report.Rejection{}})
		}
	}
	for _, k := range g.Rejecting {
		if m.Answers[k].Pre != nil {
			rejection := plugins.Tell(q, []plugins.NodeRejection{m.Rejection(k, 0)})
			rejection.PreFilter = true
			told.Rejections = append(told.Rejections, rejection)
			for n := range results {
				results[n].Rejections = append(results[n].Rejections, rejection)
			}
			continue
		}
		all := m.Rejections(k, g.Nodes)
		told.Rejections = append(told.Rejections, plugins.Tell(q, all))
		for n := range results {
			results[n].Rejections = append(results[n].Rejections, plugins.Tell(q, all[n:n+1]))
		}
	}
	return told, results
}
