package difference

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// differenceParts are the parts of the page of changes: its pods by their fate.
var differenceParts = []struct {
	fate  model.PodFate
	head  string
	tone  tone.Tone
	words func(n int) string // of the answer
}{
	{model.PodPlaced, "SCHEDULED", tone.Plain, func(n int) string { return fmt.Sprintf("%d scheduled", n) }},
	{model.PodCame, "NEW AND PENDING", tone.Warning, func(n int) string { return fmt.Sprintf("%d new and pending", n) }},
	{model.PodNotCreated, "NOT CREATED", tone.Warning, nil},
	{model.PodEnded, "FINISHED", tone.Plain, func(n int) string { return fmt.Sprintf("%d finished", n) }},
	{model.PodDeleted, "DELETED", tone.Plain, func(n int) string { return fmt.Sprintf("%d deleted", n) }},
	{model.PodChanged, "OTHER PODS", tone.Plain, nil},
}

// differenceWords count the changes, in a sentence.
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
		return "no change that affects scheduling."
	}
	return strings.Join(words, ", ") + "."
}

// differenceLines are all changes in lines of width cells, nodes first.
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
				lines = append(lines, changeLines(wide, c.Pod.FullName(), figures.WithoutDomain(c.Words, domain), p.tone, width)...)
			}
		}
	}
	return lines
}

// changeName is the maximum width of the names.
const changeName = 34

// widestChange is the width of the names before the changes.
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

// changeLines are a name, cut to wide cells, and beside it what changed.
func changeLines(wide int, name, words string, as tone.Tone, width int) []textview.Line {
	lead := "  " + cells.Left(cells.CutMiddle(model.Clean(name), wide), wide) + "  "
	return textview.Hung(as, lead, words, width)
}
