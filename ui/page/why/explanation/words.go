package explanation

import (
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/textview"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Messages is the page of messages about a pod: kube-scheduler's, fathom's, those of
// autoscalers, and which versions wrote them.
type Messages struct {
	Report *report.Report
	Now    time.Time
	Status model.Status
	width  int
}

func (s *Messages) account() account {
	return account{Report: s.Report, Now: s.Now, Width: s.width}
}

// others are what is said beside kube-scheduler: by a queue, of a gang, by autoscalers.
func (s *Messages) others() (all []quoted) {
	if q := s.Report.Queue; q != nil {
		all = append(all, quoted{"QUEUE", append([]string{q.Summary}, q.Lines(s.Now)...)})
	}
	if g := s.Report.Gang; g != nil {
		all = append(all, quoted{"GANG", append([]string{g.Sentence()}, g.Status...)})
	}
	if p := s.Report.Provisioning; p != nil {
		all = append(all, quoted{"AUTOSCALER", append([]string{p.Summary}, p.Lines(s.Now)...)})
	}
	return all
}

// Lines are the page in lines of width cells.
func (s *Messages) Lines(width int) []textview.Line {
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
		part("DIFFERENCE: − only kube-scheduler, + only fathom", differ...)
	}
	for _, told := range s.others() {
		var body []textview.Line
		for _, line := range told.lines {
			body = append(body, textview.Lines(tone.Plain, s.wrap(line)...)...)
		}
		part(told.heading, body...)
	}
	for _, q := range s.account().autoscalers() {
		part(q.heading, textview.Lines(tone.Plain, q.lines...)...)
	}
	for _, unknown := range s.Report.Unknown {
		if unknown.Resource == "events" {
			part("AUTOSCALER", textview.Lines(tone.Unknown, s.wrap("unknown: "+unknown.Why)...)...)
		}
	}
	part("SCHEDULER AND CLUSTER", textview.Lines(tone.Plain, s.versions()...)...)
	if caveats := s.Report.Scheduler.Caveats; len(caveats) > 0 {
		var body []textview.Line
		for _, caveat := range caveats {
			if strings.Contains(s.Report.Scheduler.Profile, caveat) {
				continue // it stands above
			}
			body = append(body, textview.Lines(tone.Plain, s.wrap(caveat)...)...)
		}
		if len(body) > 0 {
			part("NOTES", body...)
		}
	}
	return lines
}

// wrap cleans, wraps and indents a sentence.
func (s *Messages) wrap(text string) []string {
	return cells.Indent(3, cells.Wrap(model.Clean(text), s.width-3))
}

// versions say whose code spoke, about which cluster.
func (s *Messages) versions() []string {
	r := s.Report.Scheduler
	known := func(version string) string {
		if version == "" {
			return "not known"
		}
		return version
	}
	var lines []string
	for _, row := range [][2]string{
		{"fathom's plugins", known(r.Library)},
		{"kube-apiserver", known(r.Cluster)},
		{"profile", known(r.Profile)},
		{"scheduler", s.Report.Pod.SchedulerName},
		{"context", s.Status.Context},
		{"server", s.Status.Server},
	} {
		if row[1] != "" {
			lines = append(lines, "   "+cells.Left(row[0], 18)+model.Clean(row[1]))
		}
	}
	return lines
}

// differences are the clauses that only one of the two messages has.
func (s *Messages) differences() []textview.Line {
	theirs, ours := s.Report.Observed.Message, s.Report.SchedulerMessage
	if theirs == "" || ours == "" || theirs == ours {
		return nil
	}
	var lines []textview.Line
	for _, text := range Only(theirs, ours) {
		lines = append(lines, textview.Hung(tone.Bad, "   − ", text, s.width)...)
	}
	for _, text := range Only(ours, theirs) {
		lines = append(lines, textview.Hung(tone.Good, "   + ", text, s.width)...)
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

// Sentence compares kube-scheduler's message with fathom's.
func (s *Messages) Sentence() string {
	if s.Report.Admission != nil {
		return "Rejected by kube-apiserver, so kube-scheduler never saw the pod."
	}
	if s.Report.Verdict == report.NotCreated {
		return "The Job is suspended, so kube-scheduler never saw the pod."
	}
	if sentence := s.Report.AgreementSentence(s.Now); sentence != "" {
		return sentence
	}
	return "There is no message from kube-scheduler."
}
