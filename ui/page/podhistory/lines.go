package podhistory

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// nameMost is the maximum width of the names of nodes.
const nameMost = 34

// lookBack is a look back in lines of width cells.
type lookBack struct {
	history *podhistory.History
	pod     *model.Pod
	now     time.Time
	domain  string
	width   int
}

func (p *lookBack) lines() []textview.Line {
	lines := textview.Lines(tone.Strong, "PENDING")
	lines = append(lines, p.sentence(tone.Plain, p.waiting())...)
	if f := p.history.Fitted; f != nil {
		lines = append(lines, textview.Line{}, textview.Line{
			Text: fmt.Sprintf("NODES THAT FIT AT STEP %d, AND WHAT CHANGED BY STEP %d, %s LATER", f.Step, f.Next, model.FormatAge(f.Taken, f.Later)), Tone: tone.Strong,
		})
		wide := 0
		for _, n := range f.Nodes {
			wide = max(wide, cells.Width(p.brief(n.Name)))
		}
		for i := range f.Nodes {
			lead := "  " + cells.Left(p.brief(f.Nodes[i].Name), min(wide, nameMost)) + "  "
			lines = append(lines, textview.Hung(tone.Plain, lead, p.brief(strings.Join(f.Nodes[i].Happened(), "; ")), p.width)...)
		}
	}
	lines = append(lines, textview.Line{}, textview.Line{Text: "STEPS, NEWEST FIRST", Tone: tone.Strong})
	for _, span := range p.history.Spans {
		lines = append(lines, p.span(span)...)
	}
	return lines
}

// sentence is a sentence, indented.
func (p *lookBack) sentence(as tone.Tone, text string) []textview.Line {
	return textview.Hung(as, "  ", p.brief(text), p.width)
}

func (p *lookBack) brief(text string) string {
	return model.Clean(figures.WithoutDomain(text, p.domain))
}

// waiting says since when the pod exists.
func (p *lookBack) waiting() string {
	words := p.pod.FullName() + " for " + model.FormatAge(p.pod.Since(), p.now) + ", since " + p.pod.Since().UTC().Format("2 Jan 15:04:05 MST")
	switch step, known := p.history.Came(); {
	case known && step > 1:
		words += fmt.Sprintf("; first seen at step %d", step)
	case known:
		words += "; exists at the first step"
	case step > 0:
		words += fmt.Sprintf("; exists at step %d", step)
	}
	return words
}

// span is one line, or more where it is too long: which steps, when, and the answer.
func (p *lookBack) span(s podhistory.Span) []textview.Line {
	steps, taken, as := strconv.Itoa(s.Last), s.Ended.UTC().Format(time.TimeOnly), tone.Plain
	if s.First != s.Last {
		steps = fmt.Sprintf("%d–%d", s.First, s.Last)
		taken = s.Began.UTC().Format(time.TimeOnly) + "–" + taken
	}
	words := s.Words
	switch {
	case s.Verdict == "":
		as, words = tone.Unknown, "not evaluated: "+words
	case !s.There:
		words = "before the pod existed: " + strings.TrimPrefix(words, "It ")
	}
	lead := "  " + cells.Left(steps, 9) + cells.Left(taken, 19)
	return textview.Hung(as, lead, p.brief(words), p.width)
}
