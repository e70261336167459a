package ui

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
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
}{{"WANTS", 7}, {"FREE", 6}, {"SHORT", 6}, {"ALLOCATABLE", 12}, {"REQUESTED", 10}, {"USED", 6}, {"PODS", 8}}

// nodeTable lists the nodes from first on, at most rows of them.
func (p *whyPage) nodeTable(g whyGroup, first, rows int) nodeTable {
	last := min(len(g.nodes), first+max(0, rows))
	names := g.nodes[min(first, last):last]
	if !g.refuses(fitPlugin) {
		return p.sentenceTable(g, names)
	}
	return p.roomTable(g, names)
}

// title names what refuses the group, and how many nodes: `FIT ALONE, 3 NODES`.
func (g whyGroup) title() string {
	names := g.plugins()
	what := strings.Join(names, ", ")
	switch len(names) {
	case 0:
		what = "fits"
	case 1:
		what += " alone"
	}
	return strings.ToUpper(model.Clean(what) + ", " + count(g.count, "node", "nodes"))
}

// roomRow is what one node lacks most, as it is drawn.
type roomRow struct {
	name     string
	node     *model.Node // nil where it is not known
	resource corev1.ResourceName
	cells    []string // in the order of roomHeads
}

// roomTable shows the figures of the first resource that each node lacks.
func (p *whyPage) roomTable(g whyGroup, names []string) nodeTable {
	rows := make([]roomRow, len(names))
	first := corev1.ResourceCPU
	for i, name := range names {
		rows[i] = p.roomRow(g, name)
		if i == 0 && rows[i].cells != nil {
			first = rows[i].resource
		}
	}
	wide, widths := max(cells.Width(g.title())-2, p.widest(g.nodes)), roomWidths(rows)
	t := nodeTable{head: " " + cells.Left(g.title(), wide+2)}
	for c, head := range roomHeads {
		t.head += cells.Right(head.name, widths[c])
	}
	t.head += "  HOLDS MOST " + strings.ToUpper(model.Clean(string(first)))
	for _, row := range rows {
		parts := []string{cells.Left(p.brief(row.name), wide)}
		for c, cell := range row.cells {
			parts = append(parts, cells.Right(cell, widths[c]))
		}
		text := strings.Join(parts, "") + "  "
		t.rows = append(t.rows, text+most(row.node, row.resource, p.width-table.Gutter-cells.Width(text)))
	}
	return t
}

func (p *whyPage) roomRow(g whyGroup, name string) roomRow {
	node, _ := p.snapshot.Node(name)
	row := roomRow{name: name, node: node}
	if lacks := shortages(p.refusalsOn(name, g), node, p.snapshot.Usage); len(lacks) > 0 {
		row.resource, row.cells = lacks[0].resource, roomCells(lacks[0], node)
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

// roomCells are the figures of one node, in the order of roomHeads.
func roomCells(s shortage, node *model.Node) []string {
	used, pods := "–", "–"
	if s.measured {
		used = columnText(s.resource, s.used, model.Nearest)
	}
	if node != nil {
		pods = fmt.Sprintf("%d/%d", len(node.Pods), node.Allocatable.Pods)
	}
	return []string{
		columnText(s.resource, s.wanted, model.Up), columnText(s.resource, s.free(), model.Down),
		amountText(s.resource, s.short(), model.Up), columnText(s.resource, s.allocatable, model.Down),
		columnText(s.resource, s.requested, model.Up), used, pods,
	}
}

// most names the two pods that hold most of a resource, in width cells.
func most(node *model.Node, name corev1.ResourceName, width int) string {
	if node == nil || name == "" {
		return ""
	}
	all, _ := holders(node, name)
	return holderNames(all[:min(2, len(all))], name, " ", width)
}

// sentenceTable shows what each node's refusals say.
func (p *whyPage) sentenceTable(g whyGroup, names []string) nodeTable {
	wide := p.widest(g.nodes)
	t := nodeTable{head: " " + g.title()}
	for _, name := range names {
		t.rows = append(t.rows, cells.Left(p.brief(name), wide)+"  "+p.sentencesOn(name, g))
	}
	return t
}

// widest is how many cells the longest of a group's first names takes.
func (p *whyPage) widest(names []string) int {
	wide := 0
	for _, name := range names[:min(len(names), 50)] {
		wide = max(wide, cells.Width(p.brief(name)))
	}
	return wide
}

// sentencesOn are the refusals of one node, told whole.
func (p *whyPage) sentencesOn(name string, g whyGroup) string {
	var all []string
	for _, refusal := range p.refusalsOn(name, g) {
		all = append(all, sentenceOn(name, refusal))
	}
	return p.brief(strings.Join(all, "; "))
}
