package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// about tells whose verdict this is: how long it waits, what it requests, its
// class and priority, and how many more there are like it. The class gives way.
func (p *whyPage) about() string {
	row := p.aboutWith(p.report.Pod.QOSClass)
	if cells.Width(row)+table.Gutter > p.width {
		return p.aboutWith("")
	}
	return row
}

func (p *whyPage) aboutWith(class string) string {
	r := p.report
	priority := "prio"
	if p.wide() {
		priority = "priority"
	}
	alike := ""
	if p.kind != nil && len(p.kind.Pods) > 1 {
		alike = fmt.Sprintf("1 of %d alike", len(p.kind.Pods))
	}
	if p.wide() && r.Pod.Owner != nil {
		alike = strings.TrimSuffix(strings.ToLower(r.Pod.Owner.Kind)+"/"+r.Pod.Owner.Name+", "+alike, ", ")
	}
	facts := []string{p.waiting(), p.requests(), class, fmt.Sprintf("%s %d", priority, r.Pod.Priority), alike}
	facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
	return model.Clean(strings.Join(facts, " · "))
}

// waiting is the pod's phase, and its age; or how many there are not.
func (p *whyPage) waiting() string {
	if p.pod == nil {
		return ""
	}
	if admission := p.report.Admission; admission != nil {
		missing := fmt.Sprintf("%d of %d missing", admission.Missing, admission.Wanted)
		if admission.Since != nil {
			missing += " for " + p.age(admission.Since.Time)
		}
		return missing
	}
	phase := string(p.pod.Object.Status.Phase)
	if phase == "" {
		phase = string(corev1.PodPending)
	}
	if p.pod.Since().IsZero() {
		return phase
	}
	return phase + " " + p.age(p.pod.Since())
}

// requests are what the pod asks for, as the scheduler counts it.
func (p *whyPage) requests() string {
	requests := requestTexts(p)
	if len(requests) == 0 {
		return "requests nothing"
	}
	return "requests " + strings.Join(requests, ", ")
}

func requestTexts(p *whyPage) []string {
	names := make([]string, 0, len(p.report.Pod.Requests))
	for name := range p.report.Pod.Requests {
		names = append(names, name)
	}
	slices.SortFunc(names, compareResources)
	var texts []string
	for _, name := range names {
		amount, ok := parseAmount(corev1.ResourceName(name), p.report.Pod.Requests[name])
		if ok && amount > 0 {
			texts = append(texts, name+" "+amountText(corev1.ResourceName(name), amount, model.Up))
		}
	}
	return texts
}

// compareResources puts cpu and memory first, as everyone does.
func compareResources(a, b string) int {
	rank := func(name string) int {
		switch corev1.ResourceName(name) {
		case corev1.ResourceCPU:
			return 0
		case corev1.ResourceMemory:
			return 1
		}
		return 2
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// age is how long ago t was.
func (p *whyPage) age(t time.Time) string { return model.FormatAge(t, p.now) }

// agreement compares the words of kube-scheduler with ours, in the fourth row.
func (p *whyPage) agreement() string {
	observed := p.report.Observed
	switch {
	case p.explaining:
		return "   " + p.styles.Dim.Render("explaining")
	case observed.Quiet != "":
		return " " + p.styles.Warn.Render("! "+model.Clean(observed.Quiet)) + p.hint("its words")
	case p.report.Admission != nil:
		return indent("kube-apiserver refused it" + p.refused() + p.hint("its words"))
	case observed.Agrees == nil && observed.Message == "":
		return indent(p.silence())
	case observed.Agrees == nil && p.report.Verdict == report.Unknown:
		return indent("kube-scheduler's words stand below: there are none here to compare them with")
	case observed.Agrees == nil:
		return indent("kube-scheduler said" + p.seen() + ": " + model.Clean(observed.Message))
	case *observed.Agrees:
		return indent("kube-scheduler says the same" + p.attempt() + p.hint("its words"))
	case observed.Outdated != "":
		return indent(model.Clean(observed.Outdated) + p.hint("both messages"))
	}
	return " " + p.styles.Bad.Render("✗ kube-scheduler says otherwise"+p.hint("both messages"))
}

// indent puts a row under the answer's text.
func indent(text string) string {
	if text == "" {
		return ""
	}
	return cells.Blank(table.Gutter) + text
}

// silence says that kube-scheduler left no words to compare with, where the
// verdict is one that it would have words for.
func (p *whyPage) silence() string {
	switch p.report.Verdict {
	case report.Unschedulable, report.Schedulable, report.Unknown:
		return "kube-scheduler has said nothing about it yet"
	}
	return ""
}

// seen is when kube-scheduler is known to have tried. An attempt leaves no trace
// where its message stays the same.
func (p *whyPage) seen() string {
	if at := p.report.Observed.AttemptSeen; at != nil {
		return ", " + p.age(at.Time) + " ago"
	}
	return ""
}

// refused is when kube-apiserver refused the pod last, as far as that is known.
func (p *whyPage) refused() string {
	if at := p.report.Admission.LastRefused; at != nil {
		return ", " + p.age(at.Time) + " ago"
	}
	return ""
}

// attempt is when kube-scheduler said so, as far as that is known.
func (p *whyPage) attempt() string {
	observed, text := p.report.Observed, p.seen()
	if text == "" && observed.UnschedulableSince != nil {
		text = ", unschedulable for " + p.age(observed.UnschedulableSince.Time)
	}
	if observed.GenerationCurrent != nil && !*observed.GenerationCurrent {
		text += "; the spec changed since"
	}
	return text
}

// hint says where the messages stand whole; the wide screen shows them, and
// says whose code was asked.
func (p *whyPage) hint(what string) string {
	if !p.wide() {
		return " (W " + what + ")"
	}
	scheduler := p.report.Scheduler
	text := " · plugins " + scheduler.Library
	if scheduler.Cluster != "" {
		text += ", cluster " + scheduler.Cluster
	}
	switch {
	case scheduler.Origin != "":
		text += " · " + strings.Replace(scheduler.Origin, "from ", "profile from ", 1)
	case scheduler.Profile != "":
		text += " · profile " + scheduler.Profile
	}
	return model.Clean(text)
}
