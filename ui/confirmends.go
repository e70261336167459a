package ui

import (
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// namesMost is the widest that names of pods are drawn in a box.
const namesMost = 34

// ends are the pods that the plan terminates, each with its fate, and how many pods
// are not evicted.
func (c *confirm) ends(width int) []boxLine {
	s := c.app.styles()
	names := 0
	for i := range c.plan.Ends {
		names = max(names, cells.Width(model.Clean(c.plan.Ends[i].Pod.FullName())))
	}
	names = min(names, namesMost, width/2)
	var lines []boxLine
	for i := range c.plan.Ends {
		lines = append(lines, c.end(&c.plan.Ends[i], names, width)...)
	}
	if stay := c.plan.Stays.Words(); stay != "" {
		for _, row := range cells.Wrap(stay, width-2) {
			lines = append(lines, boxLine{text: "  " + row, style: s.Text})
		}
	}
	return lines
}

// end is one pod; words that are too long for its row continue below.
func (c *confirm) end(end *plan.End, names, width int) []boxLine {
	s := c.app.styles()
	lead, style := "  ", s.Text
	if end.Warn() {
		lead, style = "! ", s.Warn
	}
	name := lead + cells.Left(cells.CutMiddle(model.Clean(end.Pod.FullName()), names), names) + "  "
	rows := cells.Wrap(c.app.observed.Brief(end.Words()), width-cells.Width(name))
	if len(rows) == 0 {
		return []boxLine{{text: name, style: style}}
	}
	lines := make([]boxLine, len(rows))
	for i, row := range rows {
		lines[i] = boxLine{text: name + row, style: style}
		name = cells.Blank(cells.Width(name))
	}
	return lines
}
