package ui

import "github.com/kubectl-fathom/kubectl-fathom/ui/tone"

// textLine is one line of a text page, and the role that it plays.
type textLine struct {
	text string
	tone tone.Tone
}

// textLines are lines of one role.
func textLines(as tone.Tone, texts ...string) []textLine {
	lines := make([]textLine, len(texts))
	for i, text := range texts {
		lines[i] = textLine{text, as}
	}
	return lines
}

// show takes lines that are wrapped to the page already.
func (p *textPage) show(lines []textLine) {
	p.lines, p.tones = make([]string, len(lines)), make([]tone.Tone, len(lines))
	for i, line := range lines {
		p.lines[i], p.tones[i] = line.text, line.tone
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
