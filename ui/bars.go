package ui

import (
	"math"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// barWidth is the cells of a bar.
const barWidth = 8

// share is part of whole in thousandths.
func share(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	if part > math.MaxInt64/1000 {
		return int64(min(float64(part)/float64(whole), 1000) * 1000) // 64 bits do not hold the product
	}
	return part * 1000 / whole
}

// bar draws what is used, what is requested beyond that, and what is free.
func bar(used, requested, whole int64) table.Cell {
	full := func(part int64) int {
		return int(min((min(share(part, whole), 1000)*barWidth+500)/1000, barWidth))
	}
	u := full(used)
	r := max(full(requested)-u, 0)
	parts := []string{strings.Repeat("█", u), strings.Repeat("▒", r), strings.Repeat("·", barWidth-u-r)}
	return table.Cell{Text: strings.Join(parts, ""), Styled: func(s *themes.Styles) string {
		return s.BarUsed.Render(parts[0]) + s.BarRequested.Render(parts[1]) + s.BarFree.Render(parts[2])
	}}
}

func (o *observed) cpuBar(n *model.Node) table.Cell {
	return bar(o.nodeUsage(n.Name).MilliCPU, n.Requested.MilliCPU, n.Allocatable.MilliCPU)
}

func (o *observed) memoryBar(n *model.Node) table.Cell {
	return bar(o.nodeUsage(n.Name).Memory, n.Requested.Memory, n.Allocatable.Memory)
}
