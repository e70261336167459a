package explanation

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// nodeTable is the wide screen's detail of a group: a row for each of its nodes.
type nodeTable struct {
	head string
	rows []string // without the gutter
}

// roomHeads are the columns of figures, right-aligned, with the room before each.
var roomHeads = []struct {
	name  string
	width int
}{{"REQUESTS", 9}, {"FREE", 6}, {"LACKS", 6}, {"ALLOCATABLE", 12}, {"REQUESTED", 10}, {"USED", 6}, {"PODS", 8}}

// groupNodes are the nodes of one group of the page, as they are told one by one.
type groupNodes struct {
	page  *Drawing
	group *report.Group
}

func (p *Drawing) nodesOf(g *report.Group) groupNodes { return groupNodes{p, g} }

// nodeTable lists the nodes from first on, at most rows of them.
func (n groupNodes) nodeTable(first, rows int) nodeTable {
	last := min(len(n.group.Nodes), first+max(0, rows))
	names := n.group.Nodes[min(first, last):last]
	if !n.group.Rejects(figures.FitPlugin) {
		return n.sentenceTable(names)
	}
	return n.roomTable(names)
}

// groupTitle names what rejects the group, and how many nodes: `ONLY RESOURCES, 3 NODES`.
func groupTitle(g *report.Group) string {
	names := g.Plugins()
	what := strings.Join(names, ", ")
	switch len(names) {
	case 0:
		what = "fits"
	case 1:
		what = "only " + what
	}
	return strings.ToUpper(model.Clean(what) + ", " + figures.Count(g.Count, "node", "nodes"))
}

// roomRow is what one node lacks most, as it is drawn.
type roomRow struct {
	name     string
	node     *model.Node // nil where it is not known
	resource corev1.ResourceName
	cells    []string // in the order of roomHeads
}

// roomTable shows the figures of the first resource that each node lacks.
func (n groupNodes) roomTable(names []string) nodeTable {
	rows := make([]roomRow, len(names))
	first := corev1.ResourceCPU
	for i, name := range names {
		rows[i] = n.roomRow(name)
		if i == 0 && rows[i].cells != nil {
			first = rows[i].resource
		}
	}
	wide, widths := max(cells.Width(groupTitle(n.group))-2, n.widest()), roomWidths(rows)
	t := nodeTable{head: " " + cells.Left(groupTitle(n.group), wide+2)}
	for c, head := range roomHeads {
		t.head += cells.Right(head.name, widths[c])
	}
	t.head += "  MOST " + strings.ToUpper(model.Clean(string(first)))
	for _, row := range rows {
		parts := []string{cells.Left(n.page.Brief(row.name), wide)}
		for c, cell := range row.cells {
			parts = append(parts, cells.Right(cell, widths[c]))
		}
		text := strings.Join(parts, "") + "  "
		t.rows = append(t.rows, text+most(row.node, row.resource, n.page.Width-table.Gutter-cells.Width(text)))
	}
	return t
}

func (n groupNodes) roomRow(name string) roomRow {
	node, _ := countedNode(n.page, name)
	row := roomRow{name: name, node: node}
	if lacks := figures.Shortages(n.page.RejectionsOn(name, n.group), node, n.page.Snapshot.Usage); len(lacks) > 0 {
		row.resource, row.cells = lacks[0].Resource, RoomCells(lacks[0], node)
	}
	return row
}

// roomWidths are the widths of the columns of figures, with the room before them.
func roomWidths(rows []roomRow) []int {
	widths := make([]int, len(roomHeads))
	for c, head := range roomHeads {
		widths[c] = head.width
		for _, row := range rows {
			if row.cells != nil {
				widths[c] = max(widths[c], cells.Width(row.cells[c])+1)
			}
		}
	}
	return widths
}

// RoomCells are the figures of one node, in the order of roomHeads.
func RoomCells(s figures.Shortage, node *model.Node) []string {
	used, pods := "–", "–"
	if s.Measured {
		used = figures.ColumnText(s.Resource, s.Used, model.Nearest)
	}
	if node != nil {
		pods = fmt.Sprintf("%d/%d", len(node.Pods), node.Allocatable.Pods)
	}
	return []string{
		figures.ColumnText(s.Resource, s.Wanted, model.Up), figures.ColumnText(s.Resource, s.Free(), model.Down),
		figures.AmountText(s.Resource, s.Short(), model.Up), figures.ColumnText(s.Resource, s.Allocatable, model.Down),
		figures.ColumnText(s.Resource, s.Requested, model.Up), used, pods,
	}
}

// most names the two pods that hold most of a resource, in width cells.
func most(node *model.Node, name corev1.ResourceName, width int) string {
	if node == nil || name == "" {
		return ""
	}
	all, _ := figures.HoldersOn(node, name)
	return holderNames(all[:min(2, len(all))], name, width)
}

// sentenceTable shows what each node's rejections say.
func (n groupNodes) sentenceTable(names []string) nodeTable {
	wide := n.widest()
	t := nodeTable{head: " " + groupTitle(n.group)}
	for _, name := range names {
		t.rows = append(t.rows, cells.Left(n.page.Brief(name), wide)+"  "+report.ShortLabels(n.sentencesOn(name)))
	}
	return t
}

// widest is how many cells the longest of a group's first names takes.
func (n groupNodes) widest() int {
	wide := 0
	for _, name := range n.group.Nodes[:min(len(n.group.Nodes), 50)] {
		wide = max(wide, cells.Width(n.page.Brief(name)))
	}
	return wide
}

// sentencesOn are the rejections of one node, told whole. Until the answer for the node is in, only what
// holds for all: the others tell of the whole group.
func (n groupNodes) sentencesOn(name string) string {
	var all []string
	_, known := n.page.Nodes[name]
	for _, rejection := range n.page.RejectionsOn(name, n.group) {
		if !known && !rejection.PreFilter && len(n.group.Nodes) > 1 {
			continue
		}
		all = append(all, strings.TrimPrefix(SentenceOn(name, rejection), name+" "))
	}
	return n.page.Brief(strings.Join(all, "; "))
}
