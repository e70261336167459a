package explanation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// account is a report with the pod that it is about, as of now.
type account struct {
	Report *report.Report
	Pod    *model.Pod              // nil where there never was one
	Kind   *model.EquivalenceClass // nil where the pod is not pending
	Now    time.Time
	Width  int
}

func (p *Drawing) account() account {
	return account{p.Report, p.Pod, p.Kind, p.Now, p.Width}
}

func (a account) wide() bool { return a.Width >= cells.WideFrom }

// about is whose verdict this is: how long the pod is pending, its workload and of how many
// replicas it is one, its requests, QoS class and priority. Where there is little room the
// phase is left out, then the class, then the workload.
func (a account) about() string {
	r := a.Report
	replicas := ""
	if a.Kind != nil && len(a.Kind.Pods) > 1 {
		replicas = fmt.Sprintf("1 of %d pending replicas", len(a.Kind.Pods))
	}
	workload := replicas
	if r.Pod.Owner != nil {
		workload = strings.TrimSuffix(r.Pod.Owner.Kind+" "+r.Pod.Owner.Name+", "+replicas, ", ")
	}
	amounts, priority := cmp.Or(r.Pod.Amounts(), "requests nothing"), fmt.Sprintf("priority %d", r.Pod.Priority)
	row := ""
	age := strings.TrimPrefix(a.waiting(), string(corev1.PodPending)+" ") // nearly all that are explained are Pending
	whole := r.Pod.PriorityBrief()
	for _, facts := range [][]string{
		{a.waiting(), workload, amounts, r.Pod.QOSClass, whole},
		{age, workload, amounts, r.Pod.QOSClass, whole},
		{a.waiting(), workload, amounts, r.Pod.QOSClass, priority},
		{age, workload, amounts, r.Pod.QOSClass, priority},
		{age, workload, amounts, priority},
		{a.waiting(), amounts, r.Pod.QOSClass, priority, replicas},
		{a.waiting(), amounts, priority, replicas},
	} {
		facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
		if row = model.Clean(strings.Join(facts, " · ")); cells.Width(row)+table.Gutter <= a.Width {
			break
		}
	}
	return row
}

// waiting is the pod's phase, and its age; or how many there are not.
func (a account) waiting() string {
	if a.Pod == nil {
		return ""
	}
	if admission := a.Report.Admission; admission != nil {
		missing := fmt.Sprintf("%d of %s not created", admission.Missing, grammar.Plural(admission.Wanted, "pod"))
		if admission.Since != nil {
			missing += " for " + a.age(admission.Since.Time)
		}
		return missing
	}
	if a.Kind != nil && a.Kind.NotCreated != nil {
		return grammar.Plural(a.Kind.NotCreated.Missing, "pod") + " queued for " + a.age(a.Kind.NotCreated.Since)
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

// age is how long ago t was.
func (a account) age(t time.Time) string { return model.FormatAge(t, a.Now) }

// agreementRow compares the answer with kube-scheduler's own, in the fourth row.
func agreementRow(p *Drawing) string {
	a := p.account()
	agreement := p.Report.Agreement(p.Now)
	text := model.Clean(agreement.Text) + a.hint(agreement.Messages)
	switch {
	case p.Gone:
		return indent(strings.TrimLeft(p.Brief(p.InPlace)+" The rest is from before.", " "))
	case p.Explaining:
		return indent(p.Styles.Dim.Render("explaining"))
	case p.Report.Observed.Quiet != "":
		return " " + p.Styles.Warn.Render("! "+model.Clean(p.Report.Observed.Quiet)) + a.hint(1)
	case agreement.Level == report.Disagrees:
		return " " + p.Styles.Bad.Render("✗ "+text)
	}
	return cells.Spread(indent(text), a.preemptionOff(), p.Width-1)
}

// indent puts a row under the answer's text.
func indent(text string) string {
	if text == "" {
		return ""
	}
	return cells.Blank(table.Gutter) + text
}

// hint names the key that shows the messages; the wide screen shows them itself, and says
// which version of kube-scheduler was simulated.
func (a account) hint(messages int) string {
	switch {
	case messages == 0:
		return ""
	case !a.wide():
		return " (W " + grammar.Agree(messages, "message", "both messages") + ")"
	}
	scheduler := a.Report.Scheduler
	text := " · simulated by " + scheduler.Library
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
