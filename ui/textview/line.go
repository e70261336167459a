// Package textview shows texts that are longer than the screen.
package textview

import (
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

import "github.com/kubectl-fathom/kubectl-fathom/ui/tone"

// Line is one line of a text page, and its role.
type Line struct {
	Text string
	Tone tone.Tone
}

// Lines are lines of one role.
func Lines(as tone.Tone, texts ...string) []Line {
	lines := make([]Line, len(texts))
	for i, text := range texts {
		lines[i] = Line{text, as}
	}
	return lines
}

// Hung is text in lines of one role that are width cells wide, beside a lead that
// stands on the first one.
func Hung(as tone.Tone, lead, text string, width int) []Line {
	lines := cells.Indent(cells.Width(lead), cells.Wrap(model.Clean(text), width-cells.Width(lead)))
	if len(lines) > 0 {
		lines[0] = lead + lines[0][len(cells.Blank(cells.Width(lead))):]
	}
	return Lines(as, lines...)
}
