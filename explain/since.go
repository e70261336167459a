package explain

import (
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
)

// What may be said where kube-scheduler's last message is not the one that its
// plugins give now, and that is no disagreement.
const (
	clusterChanged = "cluster changed since kube-scheduler's last attempt"
	specChanged    = "the pod's spec changed since kube-scheduler's last attempt"
	notTriedSince  = "kube-scheduler's last message differs; no newer attempt is known"
	profileUnknown = "its scheduler's message differs; that scheduler's profile is unknown"
)

// attemptTakes is how much later than a change an attempt has to be to have seen
// it: clocks differ, and changes take a while to get around.
const attemptTakes = 5 * time.Second

// flushes is how much later than summary.TriedAgain a pod may be tried: the queue looks
// every 30 seconds for pods to try again (Run of pkg/scheduler/backend/queue).
const flushes = 30 * time.Second

// compare tells whether the scheduler's last message is the one that its plugins
// give now and, where it is not, why that is no disagreement.
func (x *explanation) compare(o preemption.Outcome, observed *report.Observed) {
	observed.Agrees = agrees(o, observed.Message)
	if observed.Agrees != nil && !*observed.Agrees {
		observed.Outdated = x.outdated(observed)
	}
}

// outdated says why the scheduler's last message is another than its plugins give
// now, though they may agree; "" where it is proved that they do not: it tried the
// pod after the last change, or must have.
func (x *explanation) outdated(observed *report.Observed) string {
	if !x.scheduler.Serves(scheduler.NameOf(x.question.Pod)) {
		return profileUnknown
	}
	if current := observed.GenerationCurrent; current != nil && !*current {
		return specChanged
	}
	tried, changed := observed.LastTry(), x.scheduler.State.LastChange()
	switch {
	case x.triedSince(tried, changed), observed.Quiet == "" && x.mustHaveTried(changed):
		return ""
	case tried.IsZero():
		return notTriedSince
	case changed.Add(attemptTakes).After(tried), x.scheduler.State.ChangedAfter(tried):
		return clusterChanged
	}
	return notTriedSince
}

// triedSince says whether an attempt is of the present state.
func (x *explanation) triedSince(tried, changed time.Time) bool {
	switch {
	case tried.Before(x.scheduler.State.LastRead()):
		return false
	case changed.IsZero():
		return !x.scheduler.State.ChangedAfter(tried)
	}
	return !tried.Before(changed.Add(attemptTakes))
}

// mustHaveTried says whether the state has stood for longer than the scheduler
// leaves a pod untried.
func (x *explanation) mustHaveTried(changed time.Time) bool {
	settled := x.scheduler.State.LastRead()
	if changed.After(settled) {
		settled = changed
	}
	return x.question.Now.Sub(settled) > summary.TriedAgain+flushes+x.question.Backoff
}
