package ui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// quoted are one speaker's words: a heading, then the words, wrapped.
type quoted struct {
	heading string
	lines   []string
}

// quote wraps words under their heading.
func (p *whyPage) quote(heading, words string) quoted {
	return quoted{heading, cells.Indent(3, cells.Wrap(model.Clean(words), p.width-3))}
}

// messages are kube-scheduler's words and those of the plugins here: once where
// they are the same.
func (p *whyPage) messages() []quoted {
	if admission := p.report.Admission; admission != nil {
		return []quoted{p.quote("KUBE-APISERVER"+p.refused(), admission.Message)}
	}
	observed, ours := p.report.Observed, p.report.SchedulerMessage
	theirs := "KUBE-SCHEDULER" + p.attempt()
	switch {
	case observed.Message == "" && ours == "":
		return nil
	case observed.Message == "":
		return []quoted{p.quote("THE PLUGINS HERE, now", ours)}
	case ours == "":
		return []quoted{p.quote(theirs, observed.Message)}
	case observed.Message == ours:
		return []quoted{p.quote(theirs+", and the plugins here, now: the same, byte for byte", ours)}
	case p.report.SameReworded():
		return []quoted{p.quote(theirs, observed.Message), p.quote("THE PLUGINS HERE, now: the same, in the words of "+p.report.Scheduler.Library, ours)}
	case observed.Agrees != nil && *observed.Agrees:
		return []quoted{p.quote(theirs+", and the plugins here, now: the same, but for the node that preemption picks", observed.Message)}
	}
	return []quoted{p.quote(theirs, observed.Message), p.quote("THE PLUGINS HERE, now: otherwise", ours)}
}

// autoscalers are the newest words of each autoscaler about the pod.
func (p *whyPage) autoscalers() []quoted {
	var all []quoted
	var heard []string
	for _, event := range p.scalers {
		who := autoscaler(event)
		if who == "" || slices.Contains(heard, who) {
			continue
		}
		heard = append(heard, who)
		all = append(all, p.quote(who+", "+p.age(event.Last)+" ago", event.Message))
	}
	return all
}

// hear takes the pod's events: those of autoscalers stand in a part of their own.
func (p *whyPage) hear(events []model.Event) {
	p.events, p.scalers = nil, nil
	slices.SortStableFunc(events, func(a, b model.Event) int { return b.Last.Compare(a.Last) })
	for _, event := range events {
		if autoscaler(event) != "" {
			p.scalers = append(p.scalers, event)
		} else {
			p.events = append(p.events, event)
		}
	}
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
func (p *whyPage) preemption() string {
	dry := p.report.Preemption
	switch {
	case dry == nil, p.report.Verdict == report.Preempting:
		return ""
	case !dry.Possible && !p.wide() && dry.Short != "":
		return "Preemption cannot help: " + dry.Short + " (p)"
	case !dry.Possible:
		return "Preemption cannot help: " + clause(dry.Why)
	}
	said := "Preemption would make room on " + dry.Node + ": it ends " + victimNames(dry.Victims)
	if !p.wide() {
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
	return named(names)
}
