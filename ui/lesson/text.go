package lesson

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Marks around a name in a lesson's text. They take no cells, so lines that have
// them can be measured, wrapped and cut.
const (
	nameOn  = "\x1b[1m"
	nameOff = "\x1b[22m"
)

// prose is a lesson's text on one line, with marks in place of the backticks around
// names. A backtick without a second one stays.
func prose(text string) string {
	text = model.Clean(strings.Join(strings.Fields(text), " "))
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "`")
		name, after, closed := strings.Cut(rest, "`")
		if !ok || !closed {
			return b.String() + text
		}
		b.WriteString(before + nameOn + name + nameOff)
		text = after
	}
}

// Unquoted is a lesson's text on one line without the backticks around names.
func Unquoted(text string) string {
	return strings.NewReplacer(nameOn, "", nameOff, "").Replace(prose(text))
}

// wrapProse wraps prose. A name that goes on in the next line is marked in both.
func wrapProse(text string, width int) []string {
	lines := cells.Wrap(text, width)
	open := false
	for i, line := range lines {
		if open {
			line = nameOn + line
		}
		if open = strings.LastIndex(line, nameOn) > strings.LastIndex(line, nameOff); open {
			line += nameOff
		}
		lines[i] = line
	}
	return lines
}

// drawProse draws a line of prose, the names in it in a style of their own.
func drawProse(line string, text, name lipgloss.Style) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(line, nameOn)
		if before != "" {
			b.WriteString(text.Render(before))
		}
		if !ok {
			return b.String()
		}
		inside, after, _ := strings.Cut(rest, nameOff)
		b.WriteString(name.Render(inside))
		line = after
	}
}
