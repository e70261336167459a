// Package textview is text that is longer than the screen.
package textview

import "github.com/kubectl-fathom/kubectl-fathom/ui/tone"

// Line is one line of a text page, and the role that it plays.
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
