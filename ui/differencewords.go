package ui

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// differenceParts are the parts of the page of what changed: its pods by what
// became of them.
var differenceParts = []struct {
	fate  model.PodFate
	head  string
	Tone  tone.Tone
	words func(n int) string // of the answer
}{
	{model.PodPlaced, "GOT A NODE", tone.Plain, func(n int) string { return fmt.Sprintf("%d got a node", n) }},
	{model.PodCame, "CAME, WITHOUT A NODE", tone.Warning, func(n int) string { return fmt.Sprintf("%d came and %s", n, grammar.Agree(n, "waits", "wait")) }},
	{model.PodNotCreated, "NOT CREATED", tone.Warning, nil},
	{model.PodEnded, "ENDED", tone.Plain, func(n int) string { return fmt.Sprintf("%d ended", n) }},
	{model.PodDeleted, "GONE", tone.Plain, func(n int) string { return fmt.Sprintf("%d %s gone", n, grammar.Agree(n, "is", "are")) }},
	{model.PodChanged, "OTHER PODS", tone.Plain, nil},
}

// differenceWords count what changed, in a sentence.
func differenceWords(d *model.Difference) string {
	var words []string
	if n := len(d.Nodes); n > 0 {
		words = append(words, figures.Count(n, "node changed", "nodes changed"))
	}
	other, first := 0, true
	for _, part := range differenceParts {
		n := d.Count(part.fate)
		switch {
		case n == 0:
		case part.words == nil:
			other += n
		case first:
			first = false
			words = append(words, strings.Replace(part.words(n), " ", grammar.Agree(n, " pod ", " pods "), 1))
		default:
			words = append(words, part.words(n))
		}
	}
	if other > 0 {
		words = append(words, figures.Count(other, "other change", "other changes"))
	}
	if len(words) == 0 {
		return "nothing that matters for where pods may go."
	}
	return strings.Join(words, ", ") + "."
}

// differenceLines tell it all in lines of width cells, what takes room first.
func differenceLines(d *model.Difference, domain string, width int) []textview.Line {
	var lines []textview.Line
	wide := widestChange(d, domain)
	part := func(head string, n int) {
		if len(lines) > 0 {
			lines = append(lines, textview.Line{})
		}
		lines = append(lines, textview.Line{Text: fmt.Sprintf("%s, %d", head, n), Tone: tone.Strong})
	}
	if len(d.Nodes) > 0 {
		part("NODES", len(d.Nodes))
		for _, n := range d.Nodes {
			lines = append(lines, changeLines(wide, figures.WithoutDomain(n.Name, domain), strings.Join(n.Words, "; "), tone.Warning, width)...)
		}
	}
	for _, p := range differenceParts {
		if n := d.Count(p.fate); n > 0 {
			part(p.head, n)
		}
		for _, c := range d.Pods {
			if c.Fate == p.fate {
				lines = append(lines, changeLines(wide, c.Pod.FullName(), figures.WithoutDomain(c.Words, domain), p.Tone, width)...)
			}
		}
	}
	return lines
}

// changeName is how wide the name of what changed is, at most.
const changeName = 34

// widestChange is how wide the names are that stand before what changed.
func widestChange(d *model.Difference, domain string) int {
	wide := 0
	for _, n := range d.Nodes {
		wide = max(wide, cells.Width(model.Clean(figures.WithoutDomain(n.Name, domain))))
	}
	for _, c := range d.Pods {
		wide = max(wide, cells.Width(model.Clean(c.Pod.FullName())))
	}
	return min(wide, changeName)
}

// changeLines are a name of so many cells and, beside it, what changed.
func changeLines(wide int, name, words string, as tone.Tone, width int) []textview.Line {
	lead := "  " + cells.Left(cells.CutMiddle(model.Clean(name), wide), wide) + "  "
	return textview.Lines(as, why.Hung(lead, words, width)...)
}
