package kueue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quoted"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// shown are the conditions of a Workload that are quoted, in this order.
var shown = []string{"QuotaReserved", "Admitted", "Evicted", "PodsReady"}

// Judge quotes what Kueue says; held is what keeps the pod until then: "its gate". Nil without a
// state.
func Judge(s *State, held string, now time.Time) *report.Queue {
	if s == nil {
		return nil
	}
	q := &report.Queue{
		Controller: KueueName, LocalQueue: s.Queue,
		Conditions: []report.Condition{}, Checks: []report.AdmissionCheck{}, Quotas: []report.FlavorQuota{}, Notes: notes(s), Unknown: []report.UnknownScale{},
	}
	if w := s.Workload; w != nil {
		q.Workload, q.ClusterQueue = w.Name, w.ClusterQueue
		quote(q, w)
	}
	if l := s.LocalQueue; l != nil && q.ClusterQueue == "" {
		q.ClusterQueue = l.ClusterQueue
	}
	if c := s.ClusterQueue; c != nil && !c.Gone {
		q.Pending = c.Pending
		for i := range c.Quotas {
			q.Quotas = append(q.Quotas, quotaOf(&c.Quotas[i]))
		}
	}
	if s.Position != nil {
		q.Position = new(*s.Position + 1)
	}
	for _, u := range s.Unread {
		q.Unknown = append(q.Unknown, report.UnknownScale(u))
	}
	l := leadOf(s, held, now)
	q.Summary, q.Short = summary(q, l), short(q, l)
	return q
}

// quote takes over what a Workload says of itself.
func quote(q *report.Queue, w *Workload) {
	for _, of := range shown {
		if c := meta.FindStatusCondition(w.Conditions, of); c != nil {
			q.Conditions = append(q.Conditions, quoted.Condition(c))
		}
	}
	for _, check := range w.Checks {
		q.Checks = append(q.Checks, report.AdmissionCheck(check))
	}
}

func quotaOf(from *Quota) report.FlavorQuota {
	q := report.FlavorQuota{Flavor: from.Flavor, Resource: from.Resource, Nominal: from.Nominal.String()}
	if from.Used != nil {
		q.Used = new(from.Used.String())
	}
	if from.Reserved != nil {
		q.Reserved = new(from.Reserved.String())
	}
	if from.Borrowed != nil {
		q.Borrowed = new(from.Borrowed.String())
	}
	return q
}

// lead is what a Workload waits for, by its own conditions.
type lead struct {
	words string // a clause: "quota is not reserved for 12m (Pending): …"
	short string // "quota not reserved"
}

// leadOf says how far the Workload is.
func leadOf(s *State, held string, now time.Time) lead {
	w := s.Workload
	switch {
	case w == nil && slices.ContainsFunc(s.Unread, func(u Unread) bool { return u.Resource == "workloads" }):
		at := slices.IndexFunc(s.Unread, func(u Unread) bool { return u.Resource == "workloads" })
		return lead{"unknown: " + s.Unread[at].Why, "unknown: " + s.Unread[at].Why}
	case w == nil:
		return lead{"there is no Workload for it yet", "no Workload yet"}
	case w.Inactive:
		return evicted(lead{"its Workload is deactivated (spec.active is false)", "Workload deactivated"}, w, now)
	}
	reserved, admitted := meta.FindStatusCondition(w.Conditions, "QuotaReserved"), meta.FindStatusCondition(w.Conditions, "Admitted")
	switch {
	case meta.IsStatusConditionTrue(w.Conditions, "Finished"):
		return lead{"its Workload is finished", "Workload finished"}
	case reserved == nil:
		return evicted(lead{"its Workload has no condition QuotaReserved yet", "not considered yet"}, w, now)
	case reserved.Status != metav1.ConditionTrue:
		return evicted(lead{quoted.Lasting("waiting for quota", reserved, now), "quota not reserved"}, w, now)
	case admitted == nil || admitted.Status != metav1.ConditionTrue:
		return evicted(notAdmitted(w, reserved, now), w, now)
	}
	return lead{"it was admitted" + quoted.Ago(admitted, now) + ", but " + held + " is still there", "admitted, " + held + " still there"}
}

// notAdmitted is for a Workload that has its quota: the checks that have not passed.
func notAdmitted(w *Workload, reserved *metav1.Condition, now time.Time) lead {
	l := lead{"quota was reserved" + quoted.Ago(reserved, now) + ", but it is not admitted", "not admitted"}
	if admitted := meta.FindStatusCondition(w.Conditions, "Admitted"); admitted != nil && admitted.Message != "" {
		l.words += ": " + admitted.Message
	}
	for _, check := range w.Checks {
		if check.State == "Ready" {
			continue
		}
		clause := "admission check " + check.Name + " is " + check.State
		if l.short == "not admitted" {
			l.short = clause
		}
		if check.Message != "" {
			clause += ": " + check.Message
		}
		l.words += "; " + clause
	}
	return l
}

// evicted adds that the Workload lost its quota.
func evicted(l lead, w *Workload, now time.Time) lead {
	if c := meta.FindStatusCondition(w.Conditions, "Evicted"); c != nil && c.Status == metav1.ConditionTrue {
		l.words += "; evicted" + quoted.Ago(c, now) + quoted.Because(c)
	}
	return l
}

// notes say what of the queues is stopped, not active or missing.
func notes(s *State) []string {
	all := []string{}
	if l := s.LocalQueue; l != nil {
		all = append(all, queueNotes("LocalQueue "+l.Name, l.Gone, l.StopPolicy, l.Conditions)...)
	}
	if c := s.ClusterQueue; c != nil {
		all = append(all, queueNotes("ClusterQueue "+c.Name, c.Gone, c.StopPolicy, c.Conditions)...)
	}
	return all
}

func queueNotes(name string, gone bool, stopPolicy string, conditions []metav1.Condition) []string {
	if gone {
		return []string{name + " does not exist"}
	}
	var all []string
	if stopPolicy != "" && stopPolicy != "None" {
		all = append(all, name+" is stopped (stopPolicy "+stopPolicy+")")
	}
	if c := meta.FindStatusCondition(conditions, "Active"); c != nil && c.Status != metav1.ConditionTrue {
		all = append(all, name+" is not active"+quoted.Because(c))
	}
	return all
}

// place is the position, and the queues: "position 3 of 12 in ClusterQueue gpu (LocalQueue team-a)".
func place(q *report.Queue) string {
	queues := ""
	switch {
	case q.ClusterQueue != "" && q.LocalQueue != "":
		queues = "ClusterQueue " + q.ClusterQueue + " (LocalQueue " + q.LocalQueue + ")"
	case q.ClusterQueue != "":
		queues = "ClusterQueue " + q.ClusterQueue
	case q.LocalQueue != "":
		queues = "LocalQueue " + q.LocalQueue
	}
	if at := position(q); at != "" {
		return strings.TrimSuffix("position "+at+" in "+queues, " in ")
	}
	return queues
}

// position is "3 of 12", or without what is not known; "" where it is not known.
func position(q *report.Queue) string {
	switch {
	case q.Position == nil:
		return ""
	case q.Pending == nil || *q.Pending < *q.Position:
		return model.FormatCount(*q.Position)
	}
	return fmt.Sprintf("%s of %s", model.FormatCount(*q.Position), model.FormatCount(*q.Pending))
}

// summary is the answer in a sentence: what the Workload waits for, what is stopped, where it stands.
func summary(q *report.Queue, l lead) string {
	parts := append([]string{l.words}, q.Notes...)
	at := place(q)
	if at != "" && !slices.ContainsFunc(q.Notes, func(note string) bool { return strings.HasPrefix(note, at) }) {
		parts = append(parts, at)
	}
	return q.Controller + ": " + strings.Join(parts, "; ") + "."
}

// short is the point for tables.
func short(q *report.Queue, l lead) string {
	if len(q.Notes) > 0 {
		words, _, _ := strings.Cut(q.Notes[0], ": ")
		return words
	}
	words := l.short
	if at := position(q); at != "" {
		words = "position " + at + ": " + words
	}
	if q.LocalQueue != "" {
		words = q.LocalQueue + ", " + words
	}
	return words
}
