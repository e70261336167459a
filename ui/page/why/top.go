package why

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// account is a report as it is told: whose it is, what was said of it, and when.
type account struct {
	Report  *report.Report
	Pod     *model.Pod    // nil where there never was one
	Kind    *model.Kind   // nil where the pod does not wait
	Scalers []model.Event // of autoscalers
	Now     time.Time
	Width   int
}

func (p *Page) account() account {
	return account{p.Report, p.Pod, p.Kind, p.scalers, p.Now, p.Width}
}

func (a account) wide() bool { return a.Width >= cells.WideFrom }

// about tells whose verdict this is: how long it waits, what it requests, its
// class and priority, and how many more there are like it. The class gives way.
func (a account) about() string {
	row := a.aboutWith(a.Report.Pod.QOSClass)
	if cells.Width(row)+table.Gutter > a.Width {
		return a.aboutWith("")
	}
	return row
}

func (a account) aboutWith(class string) string {
	r := a.Report
	priority := "prio"
	if a.wide() {
		priority = "priority"
	}
	alike := ""
	if a.Kind != nil && len(a.Kind.Pods) > 1 {
		alike = fmt.Sprintf("1 of %d alike", len(a.Kind.Pods))
	}
	if a.wide() && r.Pod.Owner != nil {
		alike = strings.TrimSuffix(strings.ToLower(r.Pod.Owner.Kind)+"/"+r.Pod.Owner.Name+", "+alike, ", ")
	}
	facts := []string{a.waiting(), Requests(r), class, fmt.Sprintf("%s %d", priority, r.Pod.Priority), alike}
	facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
	return model.Clean(strings.Join(facts, " · "))
}

// waiting is the pod's phase, and its age; or how many there are not.
func (a account) waiting() string {
	if a.Pod == nil {
		return ""
	}
	if admission := a.Report.Admission; admission != nil {
		missing := fmt.Sprintf("%d of %d missing", admission.Missing, admission.Wanted)
		if admission.Since != nil {
			missing += " for " + a.age(admission.Since.Time)
		}
		return missing
	}
	phase := string(a.Pod.Object.Status.Phase)
	if phase == "" {
		phase = string(corev1.PodPending)
	}
	if a.Pod.Since().IsZero() {
		return phase
	}
	return phase + " " + a.age(a.Pod.Since())
}

// Requests are what the pod of a report asks for, as the scheduler counts it.
func Requests(r *report.Report) string {
	texts := requestTexts(r)
	if len(texts) == 0 {
		return "requests nothing"
	}
	return "requests " + strings.Join(texts, ", ")
}

func requestTexts(r *report.Report) []string {
	names := make([]string, 0, len(r.Pod.Requests))
	for name := range r.Pod.Requests {
		names = append(names, name)
	}
	slices.SortFunc(names, figures.CompareResources)
	var texts []string
	for _, name := range names {
		amount, ok := figures.ParseAmount(corev1.ResourceName(name), r.Pod.Requests[name])
		if ok && amount > 0 {
			texts = append(texts, name+" "+figures.AmountText(corev1.ResourceName(name), amount, model.Up))
		}
	}
	return texts
}

// age is how long ago t was.
func (a account) age(t time.Time) string { return model.FormatAge(t, a.Now) }

// agreement compares the words of kube-scheduler with ours, in the fourth row.
func (p *Page) agreement() string {
	observed, a := p.Report.Observed, p.account()
	switch {
	case p.Explaining:
		return "   " + p.Styles.Dim.Render("explaining")
	case observed.Quiet != "":
		return " " + p.Styles.Warn.Render("! "+model.Clean(observed.Quiet)) + a.hint("its words")
	case p.Report.Admission != nil:
		return indent("kube-apiserver refused it" + a.refused() + a.hint("its words"))
	case observed.Agrees == nil && observed.Message == "":
		return indent(a.silence())
	case observed.Agrees == nil && p.Report.Verdict == report.Unknown:
		return indent("kube-scheduler's words stand below: there are none here to compare them with")
	case observed.Agrees == nil:
		return indent("kube-scheduler said" + a.seen() + ": " + model.Clean(observed.Message))
	case *observed.Agrees:
		return indent("kube-scheduler says the same" + a.attempt() + a.hint("its words"))
	case observed.Outdated != "":
		return indent(model.Clean(observed.Outdated) + a.hint("both messages"))
	}
	return " " + p.Styles.Bad.Render("✗ kube-scheduler says otherwise"+a.hint("both messages"))
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
func (a account) silence() string {
	switch a.Report.Verdict {
	case report.Unschedulable, report.Schedulable, report.Unknown:
		return "kube-scheduler has said nothing about it yet"
	}
	return ""
}

// seen is when kube-scheduler is known to have tried. An attempt leaves no trace
// where its message stays the same.
func (a account) seen() string {
	if at := a.Report.Observed.AttemptSeen; at != nil {
		return ", " + a.age(at.Time) + " ago"
	}
	return ""
}

// refused is when kube-apiserver refused the pod last, as far as that is known.
func (a account) refused() string {
	if at := a.Report.Admission.LastRefused; at != nil {
		return ", " + a.age(at.Time) + " ago"
	}
	return ""
}

// attempt is when kube-scheduler said so, as far as that is known.
func (a account) attempt() string {
	observed, text := a.Report.Observed, a.seen()
	if text == "" && observed.UnschedulableSince != nil {
		text = ", unschedulable for " + a.age(observed.UnschedulableSince.Time)
	}
	if observed.GenerationCurrent != nil && !*observed.GenerationCurrent {
		text += "; the spec changed since"
	}
	return text
}

// hint says where the messages stand whole; the wide screen shows them, and
// says whose code was asked.
func (a account) hint(what string) string {
	if !a.wide() {
		return " (W " + what + ")"
	}
	scheduler := a.Report.Scheduler
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
