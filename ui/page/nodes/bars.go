package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// bar is what the preview of a node says of one resource.
type bar struct {
	head              string
	part, whole, used int64
	known             bool
	ways              [3]string // what stands after the bar, the longest first
}

// barWidth is the cells of a bar in a preview, narrowBar those of one that gives way to what stands after it, and
// aroundBar those of the percentage, the blanks around it and the margin.
const barWidth, narrowBar, aroundBar = 10, 5, 9

// bars are the resources of the node.
func (p *preview) bars() (all []bar) {
	for _, name := range p.names() {
		b := bar{head: model.Clean(model.ResourceWord(name)), part: p.node.Requested.Of(name), whole: p.node.Allocatable.Of(name), used: p.used(p.node, name)}
		free, of := p.amounts(name)
		if free == model.UnknownFigure {
			all = append(all, b)
			continue
		}
		short, requested := "free "+free+" of "+of, figures.ColumnText(name, b.part, model.Up)
		if name != corev1.ResourceCPU {
			free, of, requested = figures.SumTexts(name, b.whole, b.part)
		}
		used := ""
		if b.used >= 0 {
			used = ", used " + figures.ColumnText(name, b.used, model.Nearest)
		}
		sum := "free " + free + " = allocatable " + of + " − requested " + requested
		b.known, b.ways = true, [3]string{sum + used, short + used, short}
		all = append(all, b)
	}
	return all
}

// resources are the bars, a line for each resource, all in the longest way that each has room for.
func (p *preview) resources() []string {
	bars, heads := p.bars(), 0
	for _, b := range bars {
		heads = max(heads, cells.Width(b.head))
	}
	room := p.width - table.Gutter - heads - aroundBar // of a bar, and of what stands after it
	wide := func(way int) (cols int) {
		for _, b := range bars {
			cols = max(cols, cells.Width(b.ways[way]))
		}
		return cols
	}
	way, last := 0, len(bar{}.ways)-1
	for way < last && wide(way)+barWidth > room {
		way++
	}
	width := barWidth
	if way == last {
		width = min(barWidth, max(narrowBar, room-wide(way)))
	}
	var rows []string
	for _, b := range bars {
		head := cells.Left(b.head, heads)
		if !b.known {
			rows = append(rows, p.line(head+" "+model.UnknownFigure, tone.Unknown))
			continue
		}
		of := p.levels.Tone(model.Percent(b.part, b.whole))
		rows = append(rows, p.styles.Text.Render(cells.Blank(table.Gutter)+head+" ")+
			gauge.DrawUsed(p.styles, p.levels, width, b.part, b.whole, b.used)+
			of.Style(p.styles).Render(fmt.Sprintf("%5s", gauge.Words(b.part, b.whole)))+
			p.styles.Text.Render("  "+cells.Cut(b.ways[way], max(room-width, 0))))
	}
	return rows
}
