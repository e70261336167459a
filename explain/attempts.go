package explain

import (
	"fmt"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// The scheduler's own times (DefaultPodMaxBackoffDuration and
// DefaultPodMaxInUnschedulablePodsDuration of pkg/scheduler/backend/queue): how
// long a pod rests between two tries at most, and after how long one that nothing
// has moved is tried again.
const (
	longestBackoff = 10 * time.Second
	triedAgain     = 5 * time.Minute
)

// attempt is what is known of the scheduler's tries of a pod that fits.
type attempt struct {
	sentence string
	clause   string // for tables
	quiet    string // what was seen of a scheduler that does not try; "" while nothing is amiss
}

// attemptOf tells when the scheduler tried the pod, as far as that is known. How
// often it did so is not in the API: events of one series are counted late.
func attemptOf(q *podQuestion, r *report.Report) attempt {
	if quiet := r.Observed.Quiet; quiet != "" {
		return attempt{sentence: grammar.Capital(quiet) + ".", clause: quiet, quiet: quiet}
	}
	if q.found.unattended {
		return unattended(q)
	}
	since := r.Observed.UnschedulableSince
	if r.Observed.AttemptSeen == nil {
		if since == nil {
			return attempt{}
		}
		age := model.FormatAge(since.Time, q.Now)
		return attempt{sentence: "kube-scheduler has called it unschedulable for " + age + ".", clause: "unschedulable for " + age}
	}
	tried := r.Observed.AttemptSeen.Time
	if since != nil && since.After(tried) {
		tried = since.Time // a condition that changed is the outcome of a try
	}
	age := model.FormatAge(tried, q.Now)
	switch ago := q.Now.Sub(tried); {
	case ago <= q.Backoff:
		rests := model.FormatAge(q.Now.Add(-q.Backoff), q.Now)
		return attempt{
			sentence: fmt.Sprintf("kube-scheduler last tried %s ago and backs off up to %s between tries.", age, rests),
			clause:   fmt.Sprintf("tried %s ago, backs off up to %s", age, rests),
		}
	case ago > triedAgain:
		return attempt{
			sentence: fmt.Sprintf("No try later than %s ago is known, though kube-scheduler tries a pod again within %s.", age, model.FormatAge(q.Now.Add(-triedAgain), q.Now)),
			clause:   "no try known since " + age,
			quiet:    "no try of it later than " + age + " ago is known",
		}
	}
	return attempt{sentence: fmt.Sprintf("kube-scheduler last tried %s ago.", age), clause: "last tried " + age + " ago"}
}

// unattended is for a pod that bears no mark of any scheduler.
func unattended(q *podQuestion) attempt {
	created := q.Pod.CreationTimestamp.Time
	if created.IsZero() || q.Now.Sub(created) <= triedAgain {
		return attempt{sentence: "No scheduler has looked at it yet.", clause: "no scheduler looked yet"}
	}
	age := model.FormatAge(created, q.Now)
	return attempt{
		sentence: "No scheduler has looked at it in the " + age + " that it exists.",
		clause:   "no scheduler looked in " + age,
		quiet:    "no scheduler has looked at it in " + age,
	}
}
