package why

import (
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Spoken is what the page of words tells of: the report of a pod, what
// autoscalers said of it, and where it was asked.
type Spoken struct {
	Report  *report.Report
	Now     time.Time
	Unheard error // why there are no events
	Status  model.Status
	scalers []model.Event
	width   int
}

func (s *Spoken) account() account {
	return account{Report: s.Report, Scalers: s.scalers, Now: s.Now, Width: s.width}
}

// Hear takes the pod's events; only those of autoscalers are told.
func (s *Spoken) Hear(events []model.Event) { _, s.scalers = heard(events) }

// Lines tells it all in lines of width cells.
func (s *Spoken) Lines(width int) []textview.Line {
	s.width = width
	var lines []textview.Line
	part := func(heading string, body ...textview.Line) {
		if len(lines) > 0 {
			lines = append(lines, textview.Line{})
		}
		lines = append(lines, textview.Line{Text: model.Clean(heading), Tone: tone.Strong})
		lines = append(lines, body...)
	}
	for _, q := range s.account().messages() {
		part(q.heading, textview.Lines(tone.Plain, q.lines...)...)
	}
	if differ := s.differences(); len(differ) > 0 {
		part("WHAT DIFFERS: − kube-scheduler alone says it, + the plugins here alone", differ...)
	}
	for _, q := range s.account().autoscalers() {
		part(q.heading, textview.Lines(tone.Plain, q.lines...)...)
	}
	if s.Unheard != nil {
		part("CLUSTER AUTOSCALER", textview.Lines(tone.Unknown, s.wrap("unknown: "+s.Unheard.Error())...)...)
	}
	part("VERSIONS", textview.Lines(tone.Plain, s.versions()...)...)
	if caveats := s.Report.Scheduler.Caveats; len(caveats) > 0 {
		var body []textview.Line
		for _, caveat := range caveats {
			body = append(body, textview.Lines(tone.Plain, s.wrap(caveat)...)...)
		}
		part("CAVEATS", body...)
	}
	return lines
}

// wrap cleans, wraps and indents a sentence.
func (s *Spoken) wrap(text string) []string {
	return cells.Indent(3, cells.Wrap(model.Clean(text), s.width-3))
}

// versions say whose code spoke, about which cluster.
func (s *Spoken) versions() []string {
	r := s.Report.Scheduler
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
		{"scheduler", s.Report.Pod.SchedulerName},
		{"context", s.Status.Context},
		{"server", s.Status.Server},
	} {
		if row[1] != "" {
			lines = append(lines, "   "+cells.Left(row[0], 16)+model.Clean(row[1]))
		}
	}
	return lines
}

// differences are the clauses that only one of the two messages has.
func (s *Spoken) differences() []textview.Line {
	theirs, ours := s.Report.Observed.Message, s.Report.SchedulerMessage
	if theirs == "" || ours == "" || theirs == ours {
		return nil
	}
	var lines []textview.Line
	for _, text := range Only(theirs, ours) {
		lines = append(lines, textview.Lines(tone.Bad, Hung("   − ", text, s.width)...)...)
	}
	for _, text := range Only(ours, theirs) {
		lines = append(lines, textview.Lines(tone.Good, Hung("   + ", text, s.width)...)...)
	}
	return lines
}

// Hung wraps text beside a lead.
func Hung(lead, text string, width int) []string {
	lines := cells.Indent(cells.Width(lead), cells.Wrap(model.Clean(text), width-cells.Width(lead)))
	if len(lines) > 0 {
		lines[0] = lead + lines[0][len(cells.Blank(cells.Width(lead))):]
	}
	return lines
}

// Only are the clauses of a that b does not have.
func Only(a, b string) []string {
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

// Sentence compares the words of kube-scheduler with ours in a sentence.
func (s *Spoken) Sentence() string {
	r := s.Report
	switch {
	case r.Admission != nil:
		return "kube-apiserver refused it" + s.account().refused() + "; kube-scheduler has never seen it."
	case r.Observed.Message == "" && r.SchedulerMessage == "":
		return "kube-scheduler has said nothing about it; the plugins here have no words for it either."
	case r.Observed.Message == "":
		return "kube-scheduler has said nothing about it yet."
	case r.Observed.Agrees == nil:
		return "kube-scheduler said this" + s.account().attempt() + "; it cannot be compared."
	case *r.Observed.Agrees:
		return "kube-scheduler says the same" + s.account().attempt() + "."
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
