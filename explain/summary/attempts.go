package summary

import (
	"fmt"
	"slices"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
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
		return attempt{sentence: quiet + ".", clause: quiet, quiet: quiet}
	}
	if q.found.Unattended && !nodeChosen(q, r) {
		return unattended(q)
	}
	since := r.Observed.UnschedulableSince
	if r.Observed.AttemptSeen == nil {
		if since == nil {
			return attempt{}
		}
		age := model.FormatAge(since.Time, q.Now)
		return attempt{sentence: "kube-scheduler has reported it as unschedulable for " + age + ".", clause: "unschedulable for " + age}
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
			sentence: fmt.Sprintf("kube-scheduler last tried it %s ago and backs off for up to %s.", age, rests),
			clause:   fmt.Sprintf("tried %s ago, backs off for up to %s", age, rests),
		}
	case ago > scheduler.MaxInUnschedulablePods:
		return attempt{
			sentence: fmt.Sprintf("No attempt is known for %s, although kube-scheduler retries a pod within %s.", age, model.FormatAge(q.Now.Add(-scheduler.MaxInUnschedulablePods), q.Now)),
			clause:   "no attempt known for " + age,
			quiet:    "no attempt to schedule it is known for " + age,
		}
	}
	return attempt{sentence: fmt.Sprintf("kube-scheduler last tried it %s ago.", age), clause: "tried " + age + " ago"}
}

// nodeChosen reports whether a scheduler may have chosen a node for a pod that bears no other
// mark of it: the pod is nominated to one, or a claim of it has a volume provisioned for one.
// kube-scheduler writes both while it binds the pod. What an autoscaler nominates proves nothing.
func nodeChosen(q *podQuestion, r *report.Report) bool {
	if n := r.Nomination; n != nil && (n.By == "" || n.By == schedulerManager) {
		return true
	}
	return slices.ContainsFunc(plugins.PodClaims(q.Question), plugins.PodClaim.IsProvisioned)
}

// soon is when a scheduler without much to do has tried a new pod at the latest.
const soon = 30 * time.Second

// unattended is for a pod that bears no mark of any scheduler.
func unattended(q *podQuestion) attempt {
	created := q.Pod.CreationTimestamp.Time
	if q.Pod.UID == "" {
		return attempt{} // it does not exist yet
	}
	if created.IsZero() || q.Now.Sub(created) <= soon {
		return attempt{sentence: "No scheduler has tried it yet.", clause: "not tried by a scheduler yet"}
	}
	age := model.FormatAge(created, q.Now)
	told := attempt{sentence: "No scheduler has tried it in the " + age + " since it was created.", clause: "not tried by a scheduler in " + age}
	if q.Now.Sub(created) > scheduler.MaxInUnschedulablePods {
		told.quiet = "no scheduler has tried it in " + age
	}
	return told
}
