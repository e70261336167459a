package rejectiongroups

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Closest are the nodes of the group that no other one of it is nearer than.
func (g *Group) Closest() []int { return g.Nodes[:g.closest] }

// near orders the group's nodes, nearest first, and notes how far the first is.
// Distances has room for every node of the matrix.
func (g *Group) near(q *plugins.Question, m *scheduler.Matrix, distances []float64) {
	for _, k := range g.Rejecting {
		explainer := plugins.Explainers[m.Profile.Plugins[k].Name]
		if explainer.Shortage == nil && explainer.Figures == nil {
			for _, i := range g.Nodes {
				distances[i]++
			}
			continue
		}
		for _, i := range g.Nodes {
			distances[i] += explainer.Distance(q, m.Rejection(k, i))
		}
	}
	slices.SortFunc(g.Nodes, func(a, b int) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), strings.Compare(m.Nodes[a].Node().Name, m.Nodes[b].Node().Name))
	})
	g.distance = distances[g.Nodes[0]] - float64(len(g.Rejecting)-g.reasons)
	for g.closest = 1; g.closest < len(g.Nodes) && distances[g.Nodes[g.closest]] == distances[g.Nodes[0]]; g.closest++ {
	}
}
