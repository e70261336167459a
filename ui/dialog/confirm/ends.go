package confirm

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// namesMost is the widest that names of pods are drawn in a box.
const namesMost = 34

// ends are the pods that the plan terminates, each with its fate, and how many pods
// are not evicted.
func (c *Box) ends(width int) []boxLine {
	s := c.host.Styles()
	names := 0
	for i := range c.Plan.Ends {
		names = max(names, cells.Width(model.Clean(c.Plan.Ends[i].Pod.FullName())))
	}
	names = min(names, namesMost, width/2)
	var lines []boxLine
	for i := range c.Plan.Ends {
		lines = append(lines, endLines(c.host, &c.Plan.Ends[i], names, width)...)
	}
	if stay := c.Plan.Stays.Words(); stay != "" {
		for _, row := range cells.Wrap(stay, width-2) {
			lines = append(lines, boxLine{text: "  " + row, style: s.Text})
		}
	}
	return lines
}

// endLines are one pod; words that are too long for its row continue below.
func endLines(h Host, end *plan.End, names, width int) []boxLine {
	s := h.Styles()
	lead, style := "  ", s.Text
	if end.Warn() {
		lead, style = "! ", s.Warn
	}
	name := lead + cells.Left(cells.CutMiddle(model.Clean(end.Pod.FullName()), names), names) + "  "
	rows := cells.Wrap(h.Brief(end.Words()), width-cells.Width(name))
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

// consentsGap is how far the flags stand from the words where there is room.
const consentsGap = 10

// consents are what has to be agreed to, each with the flag of kubectl drain that
// says the same.
func (c *Box) consents(width int) []boxLine {
	s := c.host.Styles()
	words, flags := 0, 0
	for _, consent := range c.Plan.Consents {
		words = max(words, cells.Width(consent.Words))
		flags = max(flags, cells.Width(flagOf(consent)))
	}
	gap := max(min(consentsGap, width-len("[ ] ")-words-flags), 2)
	var lines []boxLine
	for i, consent := range c.Plan.Consents {
		box, style := "[ ] ", s.Warn
		if c.Agreed[i] {
			box, style = "[x] ", s.Text
		}
		rows := []string{cells.Left(model.Clean(consent.Words), words) + cells.Blank(gap) + flagOf(consent)}
		if words+flags+len("[ ] ")+2 > width {
			rows = append(cells.Wrap(model.Clean(consent.Words), width-len(box)), flagOf(consent))
		}
		for _, row := range rows {
			lines = append(lines, boxLine{text: strings.TrimRight(box+row, " "), style: style, agree: i + 1})
			box = cells.Blank(len(box))
		}
	}
	return lines
}

// flagOf is the flag of a consent in brackets.
func flagOf(consent plan.Consent) string {
	if consent.Flag == "" {
		return ""
	}
	return "(" + model.Clean(consent.Flag) + ")"
}
