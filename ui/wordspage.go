package ui

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// spoken is what the page of words tells of: the report of a pod, what
// autoscalers said of it, and where it was asked.
type spoken struct {
	whyPage
	status model.Status
}

// lines tells it all in lines of width cells.
func (s *spoken) lines(width int) []textLine {
	s.width = width
	var lines []textLine
	part := func(heading string, body ...textLine) {
		if len(lines) > 0 {
			lines = append(lines, textLine{})
		}
		lines = append(lines, textLine{model.Clean(heading), tone.Strong})
		lines = append(lines, body...)
	}
	for _, q := range s.messages() {
		part(q.heading, textLines(tone.Plain, q.lines...)...)
	}
	if differ := s.differences(); len(differ) > 0 {
		part("WHAT DIFFERS: − kube-scheduler alone says it, + the plugins here alone", differ...)
	}
	for _, q := range s.autoscalers() {
		part(q.heading, textLines(tone.Plain, q.lines...)...)
	}
	if s.unheard != nil {
		part("CLUSTER AUTOSCALER", textLines(tone.Unknown, s.wrap("unknown: "+s.unheard.Error())...)...)
	}
	part("VERSIONS", textLines(tone.Plain, s.versions()...)...)
	if caveats := s.report.Scheduler.Caveats; len(caveats) > 0 {
		var body []textLine
		for _, caveat := range caveats {
			body = append(body, textLines(tone.Plain, s.wrap(caveat)...)...)
		}
		part("CAVEATS", body...)
	}
	return lines
}

// wrap cleans, wraps and indents a sentence.
func (s *spoken) wrap(text string) []string {
	return cells.Indent(3, cells.Wrap(model.Clean(text), s.width-3))
}

// versions say whose code spoke, about which cluster.
func (s *spoken) versions() []string {
	r := s.report.Scheduler
	known := func(version string) string {
		if version == "" {
			return "not known"
		}
		return version
	}
	var lines []string
	for _, row := range [][2]string{
		{"plugins here", known(r.Library)},
		{"kube-apiserver", known(r.Cluster)},
		{"profile", known(r.Profile)},
		{"scheduler", s.report.Pod.SchedulerName},
		{"context", s.status.Context},
		{"server", s.status.Server},
	} {
		if row[1] != "" {
			lines = append(lines, "   "+cells.Left(row[0], 16)+model.Clean(row[1]))
		}
	}
	return lines
}

// differences are the clauses that only one of the two messages has.
func (s *spoken) differences() []textLine {
	theirs, ours := s.report.Observed.Message, s.report.SchedulerMessage
	if theirs == "" || ours == "" || theirs == ours {
		return nil
	}
	var lines []textLine
	for _, text := range only(theirs, ours) {
		lines = append(lines, textLines(tone.Bad, hung("   − ", text, s.width)...)...)
	}
	for _, text := range only(ours, theirs) {
		lines = append(lines, textLines(tone.Good, hung("   + ", text, s.width)...)...)
	}
	return lines
}

// hung wraps text beside a lead.
func hung(lead, text string, width int) []string {
	lines := cells.Indent(cells.Width(lead), cells.Wrap(model.Clean(text), width-cells.Width(lead)))
	if len(lines) > 0 {
		lines[0] = lead + lines[0][len(cells.Blank(cells.Width(lead))):]
	}
	return lines
}

// only are the clauses of a that b does not have.
func only(a, b string) []string {
	rest := clausesIn(b)
	var found []string
	for _, clause := range clausesIn(a) {
		if at := slices.Index(rest, clause); at >= 0 {
			rest = slices.Delete(rest, at, at+1)
		} else {
			found = append(found, clause)
		}
	}
	return found
}

// clausesIn splits a message where the scheduler joins reasons.
func clausesIn(message string) []string {
	parts := strings.FieldsFunc(strings.NewReplacer(": ", "\x00", ", ", "\x00", ". ", "\x00").Replace(message),
		func(r rune) bool { return r == 0 })
	for i, part := range parts {
		parts[i] = strings.TrimSuffix(part, ".")
	}
	return parts
}

// verdictOf compares the words of kube-scheduler with ours in a sentence.
func (s *spoken) sentence() string {
	r := s.report
	switch {
	case r.Admission != nil:
		return "kube-apiserver refused it" + s.refused() + "; kube-scheduler has never seen it."
	case r.Observed.Message == "" && r.SchedulerMessage == "":
		return "kube-scheduler has said nothing about it; the plugins here have no words for it either."
	case r.Observed.Message == "":
		return "kube-scheduler has said nothing about it yet."
	case r.Observed.Agrees == nil:
		return "kube-scheduler said this" + s.attempt() + "; it cannot be compared."
	case *r.Observed.Agrees:
		return "kube-scheduler says the same" + s.attempt() + "."
	case r.Observed.Outdated != "":
		return grammar.Capital(r.Observed.Outdated) + "."
	}
	return "kube-scheduler says otherwise. " + itsVersion(r.Scheduler)
}

// itsVersion tells both versions, where they may be why the two differ.
func itsVersion(s report.SchedulerInfo) string {
	if s.Cluster == "" || s.Cluster == s.Library {
		return "Both are " + s.Library + "."
	}
	return "It is " + s.Cluster + ", the plugins here are " + s.Library + "."
}
