package ui

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
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

// roomTable shows the figures of the first resource that each node lacks.
func (p *whyPage) roomTable(g whyGroup, names []string) nodeTable {
	figures := make([][]string, len(names))
	held := make([]string, len(names))
	first := corev1.ResourceCPU
	wide := max(cells(g.title())-2, p.widest(g.nodes))
	for i, name := range names {
		node, _ := p.snapshot.Node(name)
		lacks := shortages(p.refusalsOn(name, g), node, p.snapshot.Usage)
		if len(lacks) == 0 {
			continue
		}
		if i == 0 {
			first = lacks[0].resource
		}
		figures[i] = roomCells(lacks[0], node)
		held[i] = most(node, lacks[0].resource)
	}
	widths := make([]int, len(roomHeads))
	for c, head := range roomHeads {
		widths[c] = head.width
		for _, row := range figures {
			if row != nil {
				widths[c] = max(widths[c], cells(row[c])+1)
			}
		}
	}
	t := nodeTable{head: " " + left(g.title(), wide+2)}
	for c, head := range roomHeads {
		t.head += right(head.name, widths[c])
	}
	t.head += "  HOLDS MOST " + strings.ToUpper(model.Clean(string(first)))
	for i, name := range names {
		row := left(p.brief(name), wide)
		for c, cell := range figures[i] {
			row += right(cell, widths[c])
		}
		t.rows = append(t.rows, row+"  "+held[i])
	}
	return t
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

// most names the two pods that hold most of a resource.
func most(node *model.Node, name corev1.ResourceName) string {
	if node == nil {
		return ""
	}
	all, _ := holders(node, name)
	var texts []string
	for _, h := range all[:min(2, len(all))] {
		texts = append(texts, cutMiddle(model.Clean(h.pod.FullName()), 24)+" "+columnText(name, h.amount, model.Nearest))
	}
	return strings.Join(texts, ", ")
}

// sentenceTable shows what each node's refusals say.
func (p *whyPage) sentenceTable(g whyGroup, names []string) nodeTable {
	wide := p.widest(g.nodes)
	t := nodeTable{head: " " + g.title()}
	for _, name := range names {
		t.rows = append(t.rows, left(p.brief(name), wide)+"  "+p.sentencesOn(name, g))
	}
	return t
}

// widest is how many cells the longest of a group's first names takes.
func (p *whyPage) widest(names []string) int {
	wide := 0
	for _, name := range names[:min(len(names), 50)] {
		wide = max(wide, cells(p.brief(name)))
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
