package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// pastLines tell a look back in lines of width cells.
type pastLines struct {
	history *report.History
	pod     *model.Pod
	now     time.Time
	domain  string
	width   int
}

func (p *pastLines) all() []textview.Line {
	lines := textview.Lines(tone.Strong, "WAITING")
	lines = append(lines, p.told(tone.Plain, p.waiting())...)
	if f := p.history.Fitted; f != nil {
		lines = append(lines, textview.Line{}, textview.Line{
			Text: fmt.Sprintf("NODES THAT FITTED AT STEP %d, AND WHAT HAPPENED UNTIL STEP %d, %s LATER", f.Step, f.Next, figures.Clock(f.Later.Sub(f.Taken))), Tone: tone.Strong,
		})
		wide := 0
		for _, n := range f.Nodes {
			wide = max(wide, cells.Width(p.brief(n.Name)))
		}
		for i := range f.Nodes {
			lead := "  " + cells.Left(p.brief(f.Nodes[i].Name), min(wide, changeName)) + "  "
			lines = append(lines, textview.Lines(tone.Plain, why.Hung(lead, p.brief(strings.Join(f.Nodes[i].Happened(), "; ")), p.width)...)...)
		}
	}
	lines = append(lines, textview.Line{}, textview.Line{Text: "STEP BY STEP, THE NEWEST FIRST", Tone: tone.Strong})
	for _, span := range p.history.Spans {
		lines = append(lines, p.span(span)...)
	}
	return lines
}

// told is a sentence, indented.
func (p *pastLines) told(as tone.Tone, text string) []textview.Line {
	return textview.Lines(as, why.Hung("  ", p.brief(text), p.width)...)
}

func (p *pastLines) brief(text string) string {
	return model.Clean(figures.WithoutDomain(text, p.domain))
}

// waiting says when the pod came.
func (p *pastLines) waiting() string {
	words := p.pod.FullName() + " for " + model.FormatAge(p.pod.Since(), p.now) + ", since " + p.pod.Since().UTC().Format("2 Jan 15:04:05 MST")
	switch step, known := p.history.Came(); {
	case known && step > 1:
		words += fmt.Sprintf("; step %d is the first that has it", step)
	case known:
		words += "; it is there from the first step on"
	case step > 0:
		words += fmt.Sprintf("; it is there at step %d", step)
	}
	return words
}

// span is one line, or more where there is no room: which steps, when, and the
// answer.
func (p *pastLines) span(s report.Span) []textview.Line {
	steps, taken, as := strconv.Itoa(s.Last), s.Ended.UTC().Format(time.TimeOnly), tone.Plain
	if s.First != s.Last {
		steps = fmt.Sprintf("%d–%d", s.First, s.Last)
		taken = s.Began.UTC().Format(time.TimeOnly) + "–" + taken
	}
	words := s.Words
	switch {
	case s.Verdict == "":
		as, words = tone.Unknown, "not known: "+words
	case !s.There:
		words = "not there yet; it would have been: " + words
	}
	lead := "  " + cells.Left(steps, 9) + cells.Left(taken, 19)
	return textview.Lines(as, why.Hung(lead, p.brief(words), p.width)...)
}
