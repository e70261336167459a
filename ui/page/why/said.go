package why

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// quoted are one speaker's words: a heading, then the words, wrapped.
type quoted struct {
	heading string
	lines   []string
}

// quote wraps words under their heading.
func (a account) quote(heading, words string) quoted {
	return quoted{heading, cells.Indent(3, cells.Wrap(model.Clean(words), a.Width-3))}
}

// messages are kube-scheduler's words and those of the plugins here: once where
// they are the same.
func (a account) messages() []quoted {
	if admission := a.Report.Admission; admission != nil {
		return []quoted{a.quote("KUBE-APISERVER"+a.refused(), admission.Message)}
	}
	observed, ours := a.Report.Observed, a.Report.SchedulerMessage
	theirs := "KUBE-SCHEDULER" + a.attempt()
	switch {
	case observed.Message == "" && ours == "":
		return nil
	case observed.Message == "":
		return []quoted{a.quote("THE PLUGINS HERE, now", ours)}
	case ours == "":
		return []quoted{a.quote(theirs, observed.Message)}
	case observed.Message == ours:
		return []quoted{a.quote(theirs+", and the plugins here, now: the same, byte for byte", ours)}
	case a.Report.SameReworded():
		return []quoted{a.quote(theirs, observed.Message), a.quote("THE PLUGINS HERE, now: the same, in the words of "+a.Report.Scheduler.Library, ours)}
	case observed.Agrees != nil && *observed.Agrees:
		return []quoted{a.quote(theirs+", and the plugins here, now: the same, but for the node that preemption picks", observed.Message)}
	}
	return []quoted{a.quote(theirs, observed.Message), a.quote("THE PLUGINS HERE, now: otherwise", ours)}
}

// autoscalers are the newest words of each autoscaler about the pod.
func (a account) autoscalers() []quoted {
	var all []quoted
	var told []string
	for _, event := range a.Scalers {
		who := autoscaler(event)
		if who == "" || slices.Contains(told, who) {
			continue
		}
		told = append(told, who)
		all = append(all, a.quote(who+", "+a.age(event.Last)+" ago", event.Message))
	}
	return all
}

// Hear takes the pod's events: those of autoscalers stand in a part of their own.
func (p *Page) Hear(events []model.Event) { p.Events, p.scalers = heard(events) }

// heard are events, the newest first, and apart from them those of autoscalers.
func heard(events []model.Event) (others, scalers []model.Event) {
	slices.SortStableFunc(events, func(a, b model.Event) int { return b.Last.Compare(a.Last) })
	for _, event := range events {
		if autoscaler(event) != "" {
			scalers = append(scalers, event)
		} else {
			others = append(others, event)
		}
	}
	return others, scalers
}

// autoscaler names the autoscaler that an event is of; "" if it is of none.
// Karpenter uses the scheduler's own reason, FailedScheduling, too.
func autoscaler(event model.Event) string {
	switch {
	case strings.Contains(strings.ToLower(event.Source), "karpenter"):
		return "KARPENTER"
	case event.Source == "cluster-autoscaler", event.Reason == "NotTriggerScaleUp", event.Reason == "TriggeredScaleUp":
		return "CLUSTER AUTOSCALER"
	}
	return ""
}

// preemption says what preemption would do, or why it cannot help: in short, with
// the key to the whole, where there is little room.
func (a account) preemption() string {
	dry := a.Report.Preemption
	switch {
	case dry == nil, a.Report.Verdict == report.Preempting:
		return ""
	case !dry.Possible && !a.wide() && dry.Short != "":
		return "Preemption cannot help: " + dry.Short + " (p)"
	case !dry.Possible:
		return "Preemption cannot help: " + clause(dry.Why)
	}
	said := "Preemption would make room on " + dry.Node + ": it ends " + victimNames(dry.Victims)
	if !a.wide() {
		return said + " (p)"
	}
	return said + "."
}

// clause is a sentence as the second half of another.
func clause(sentence string) string {
	first, size := utf8.DecodeRuneInString(sentence)
	second, _ := utf8.DecodeRuneInString(sentence[size:])
	if unicode.IsUpper(second) { // an abbreviation keeps its capitals
		return sentence
	}
	return string(unicode.ToLower(first)) + sentence[size:]
}

// victimNames are three names, and how many more there are.
func victimNames(victims []report.Victim) string {
	names := make([]string, 0, len(victims))
	for _, victim := range victims {
		name := victim.Namespace + "/" + victim.Name
		if victim.ViolatesPDB {
			name += " (against its PDB)"
		}
		names = append(names, name)
	}
	return figures.Named(names)
}
