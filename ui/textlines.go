package ui

import (
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// show takes lines that are wrapped to the page already.
func (p *textPage) show(lines []textview.Line) {
	p.lines, p.tones = make([]string, len(lines)), make([]tone.Tone, len(lines))
	for i, line := range lines {
		p.lines[i], p.tones[i] = line.Text, line.Tone
	}
	p.find(p.found)
	p.scroll(0)
}

// tone is the role of a line.
func (p *textPage) tone(i int) tone.Tone {
	if i < len(p.tones) {
		return p.tones[i]
	}
	return tone.Plain
}
