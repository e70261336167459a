package nodes

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// barWidth is the cells of a bar.
const barWidth = 8

// bar draws what is used, what is requested beyond that, and what is free.
func bar(used, requested, whole int64) table.Cell {
	full := func(part int64) int {
		return int(min((min(figures.Share(part, whole), 1000)*barWidth+500)/1000, barWidth))
	}
	u := full(used)
	r := max(full(requested)-u, 0)
	parts := []string{strings.Repeat("█", u), strings.Repeat("▒", r), strings.Repeat("·", barWidth-u-r)}
	return table.Cell{Text: strings.Join(parts, ""), Styled: func(s *themes.Styles) string {
		return s.BarUsed.Render(parts[0]) + s.BarRequested.Render(parts[1]) + s.BarFree.Render(parts[2])
	}}
}

func cpuBar(o *page.Observed, n *model.Node) table.Cell {
	return bar(o.NodeUsage(n.Name).MilliCPU, n.Requested.MilliCPU, n.Allocatable.MilliCPU)
}

func memoryBar(o *page.Observed, n *model.Node) table.Cell {
	return bar(o.NodeUsage(n.Name).Memory, n.Requested.Memory, n.Allocatable.Memory)
}
