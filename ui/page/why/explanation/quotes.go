package explanation

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// quoted is a message under its heading, wrapped.
type quoted struct {
	heading string
	lines   []string
}

// quote wraps a message under its heading.
func (a account) quote(heading, words string) quoted {
	return quoted{heading, cells.Indent(3, cells.Wrap(model.Clean(words), a.Width-3))}
}

// messages are kube-scheduler's message and fathom's: one where they are the same.
func (a account) messages() []quoted {
	var all []quoted
	for _, message := range a.Report.Messages(a.Now) {
		all = append(all, a.quote(message.Heading, message.Text))
	}
	return all
}

// autoscalers are the newest message of each autoscaler about the pod.
func (a account) autoscalers() []quoted {
	var all []quoted
	for _, word := range a.Report.Autoscaler {
		all = append(all, a.quote(model.Clean(word.Heading(a.Now)), word.Message))
	}
	return all
}

// autoscalersShort are the same in one heading each, if there is room for it: what an autoscaler said comes before the
// reason of its event, and where there is little room before its name.
func (a account) autoscalersShort() []quoted {
	var all []quoted
	for _, word := range a.Report.Autoscaler {
		who := a.age(word.LastSeen.Time) + " ago: "
		if a.wide() {
			who = word.Component + ", " + who
		}
		all = append(all, a.headed("AUTOSCALER "+who+word.Message))
	}
	return all
}

// headed puts the first line of a text in a heading, and wraps the rest under it.
func (a account) headed(text string) quoted {
	lines := cells.Wrap(model.Clean(text), a.Width-2)
	return quoted{lines[0], cells.Indent(3, cells.Wrap(strings.Join(lines[1:], " "), a.Width-3))}
}

// gang is the group that the pod is scheduled with, in one heading if there is room for it, and what
// its status says.
func (a account) gang() []quoted {
	g := a.Report.Gang
	if g == nil {
		return nil
	}
	said := a.headed("GANG " + a.Report.GangSentence())
	for _, status := range g.Status {
		said.lines = append(said.lines, cells.Indent(3, cells.Wrap(model.Clean(status), a.Width-3))...)
	}
	return []quoted{said}
}

// provisioning is what autoscalers of nodes could do, in one heading if there is room for it.
func (a account) provisioning() []quoted {
	p := a.Report.Provisioning
	if p == nil {
		return nil
	}
	return []quoted{a.headed("AUTOSCALER " + p.Summary)}
}

// queue is what the controller of a queue says beside the answer.
func (a account) queue() []quoted {
	if a.Report.Queue == nil {
		return nil
	}
	var all []string
	for _, line := range a.Report.Queue.Lines(a.Now) {
		all = append(all, a.quote("", line).lines...)
	}
	if len(all) == 0 {
		return nil
	}
	return []quoted{{"QUEUE", all}}
}

// Hear takes the pod's events. Those that the report quotes as an autoscaler's message stand
// there.
func (p *Drawing) Hear(events []model.Event) {
	p.heard = slices.SortedStableFunc(slices.Values(events), func(a, b model.Event) int { return b.Last.Compare(a.Last) })
	p.Events = p.heard
	if p.Report == nil {
		return
	}
	p.Events = slices.DeleteFunc(slices.Clone(p.heard), func(e model.Event) bool {
		return slices.ContainsFunc(p.Report.Autoscaler, func(w report.AutoscalerWord) bool {
			return w.Component == e.Source && w.Reason == e.Reason && w.Message == e.Message
		})
	})
}

// preemption says what preemption would do, or why it won't help: in short, with the key
// to the whole, where there is little room.
func (a account) preemption() string {
	if a.preemptionOff() != "" {
		return ""
	}
	sentence := a.Report.PreemptionSentence(!a.wide())
	if sentence != "" && !a.wide() {
		return strings.TrimSuffix(sentence, ".") + " · p"
	}
	return sentence
}

// preemptionOff says in the row of the agreement that the pod asked for no preemption; ""
// where it did not, and where the wide screen has a line for that.
func (a account) preemptionOff() string {
	p := a.Report.Preemption
	if p == nil || p.Possible || a.wide() || a.Pod == nil || a.Report.Verdict == report.Preempting {
		return ""
	}
	if policy := a.Pod.Object.Spec.PreemptionPolicy; policy == nil || *policy != corev1.PreemptNever {
		return ""
	}
	return "preemption: off (Never)"
}
