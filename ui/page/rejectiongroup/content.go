package rejectiongroup

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// content is what the page shows of a group.
type content struct {
	host      page.Host
	why       Why // whose group it is; it explains for this page too
	group     *report.Group
	resources []corev1.ResourceName // those that have figures
	shown     int                   // which of them the columns are about
}

// row is one row: a node, and what rejects it.
type row struct {
	node       *model.Node
	rejections []report.Rejection
	figures    []figures.Shortage
}

// take takes the group as it is now.
func (c *content) take(g *report.Group) {
	before := c.resource()
	c.group, c.resources = g, c.resourcesOf(g)
	c.shown = max(slices.Index(c.resources, before), 0)
}

// resource is the one that the columns are about; "" where there are no figures.
func (c *content) resource() corev1.ResourceName {
	if len(c.resources) == 0 {
		return ""
	}
	return c.resources[c.shown]
}

// resourcesOf are those that a group's nodes lack; where nothing rejects them,
// those that the pod requests.
func (c *content) resourcesOf(g *report.Group) []corev1.ResourceName {
	var found []corev1.ResourceName
	for _, name := range g.Nodes {
		node, ok := c.host.Observed().Snapshot.Node(name)
		if !ok {
			continue
		}
		for _, s := range c.why.Explanation().FiguresOf(g, node, c.rejectionsOf(g, name)) {
			if !slices.Contains(found, s.Resource) {
				found = append(found, s.Resource)
			}
		}
		break // all nodes of a group lack the same
	}
	return found
}

// rejectionsOf are the rejections of one node that the group is about: what holds
// for all nodes at once has a group of its own.
func (c *content) rejectionsOf(g *report.Group, name string) []report.Rejection {
	if g.OverAll() {
		return g.Rejections
	}
	return slices.DeleteFunc(slices.Clone(c.why.Explanation().RejectionsOn(name, g)), func(r report.Rejection) bool { return r.PreFilter })
}

// nodes are those of the group that still exist, the closest first.
func (c *content) nodes() []*model.Node {
	rows := make([]*model.Node, 0, len(c.group.Nodes))
	for _, name := range c.group.Nodes {
		if node, ok := c.host.Observed().Snapshot.Node(name); ok {
			rows = append(rows, node)
		}
	}
	return rows
}

// rowsOf are the rows: what rejects each node, and the figures behind it.
func (c *content) rowsOf(nodes []*model.Node) []*row {
	rows := make([]*row, len(nodes))
	draw := c.why.Explanation()
	for i, node := range nodes {
		rejections := c.rejectionsOf(c.group, node.Name)
		rows[i] = &row{node, rejections, draw.FiguresOf(c.group, node, rejections)}
	}
	return rows
}

// figure is one of roomCells for the resource that is shown.
func (c *content) figure(n *row, at int) string {
	i := slices.IndexFunc(n.figures, func(s figures.Shortage) bool { return s.Resource == c.resource() })
	if i < 0 {
		return "–"
	}
	return explanation.RoomCells(n.figures[i], n.node)[at]
}

// wordless reports whether the figures say all that rejects the group.
func (c *content) wordless() bool {
	return !slices.ContainsFunc(c.group.Rejections, func(r report.Rejection) bool { return r.Plugin != figures.FitPlugin })
}

// words are the clauses of a node's rejections, except those that are figures.
func (c *content) words(n *row) string {
	if c.group.Fits == nil {
		return "not evaluated: " + c.openWords()
	}
	left := report.Group{}
	for _, rejection := range n.rejections {
		if rejection.Plugin != figures.FitPlugin || c.resource() == "" {
			left.Rejections = append(left.Rejections, rejection)
		}
	}
	return c.host.Observed().Brief(report.ShortLabels(left.Clauses()))
}

// turn shows the figures of the next resource, or of the one before; it reports false
// where there is only one.
func (c *content) turn(do keymap.Action) bool {
	n := len(c.resources)
	if n < 2 {
		return false
	}
	by := 1
	if do == keymap.Left {
		by = n - 1
	}
	c.shown = (c.shown + by) % n
	return true
}
