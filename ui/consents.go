package ui

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// consentsGap is how far the flags stand from the words where there is room.
const consentsGap = 10

// consents are what has to be agreed to, each with the flag of kubectl drain that
// says the same.
func (c *confirm) consents(width int) []boxLine {
	s := c.app.styles()
	words, flags := 0, 0
	for i := range c.plan.Consents {
		words = max(words, cells.Width(c.plan.Consents[i].Words))
		flags = max(flags, cells.Width(c.flag(i)))
	}
	gap := max(min(consentsGap, width-len("[ ] ")-words-flags), 2)
	var lines []boxLine
	for i, consent := range c.plan.Consents {
		box, style := "[ ] ", s.Warn
		if c.agreed[i] {
			box, style = "[x] ", s.Text
		}
		rows := []string{cells.Left(model.Clean(consent.Words), words) + cells.Blank(gap) + c.flag(i)}
		if words+flags+len("[ ] ")+2 > width {
			rows = append(cells.Wrap(model.Clean(consent.Words), width-len(box)), c.flag(i))
		}
		for _, row := range rows {
			lines = append(lines, boxLine{text: strings.TrimRight(box+row, " "), style: style, agree: i + 1})
			box = cells.Blank(len(box))
		}
	}
	return lines
}

// flag is the flag of a consent in brackets; kubectl drain is named once.
func (c *confirm) flag(i int) string {
	flag := c.plan.Consents[i].Flag
	if i > 0 {
		flag = strings.TrimPrefix(flag, "kubectl drain ")
	}
	if flag == "" {
		return ""
	}
	return "(" + model.Clean(flag) + ")"
}
