package message

import (
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// What may be said where kube-scheduler's last message is not the one that its
// plugins give now, and that is no disagreement.
const (
	ClusterChanged = "cluster changed since kube-scheduler's last attempt"
	SpecChanged    = "the pod's spec changed since kube-scheduler's last attempt"
	NotTriedSince  = "kube-scheduler's message may be outdated"
	ProfileUnknown = "the profile of its scheduler is unknown"
)

// attemptTakes is how much later than a change an attempt has to be to have seen
// it: clocks differ, and changes take a while to get around.
const attemptTakes = 5 * time.Second

// flushes is how much later than scheduler.MaxInUnschedulablePods a pod may be tried: the queue looks
// every 30 seconds for pods to try again (Run of pkg/scheduler/backend/queue).
const flushes = 30 * time.Second

// Compare tells whether the scheduler's last message is the one that its plugins
// give now and, where it is not, why that is no disagreement.
func Compare(s *scheduler.Scheduler, q *plugins.Question, o preemption.Outcome, observed *report.Observed) {
	if observed.Speaker == report.KubeAPIServer {
		return // kube-scheduler has not tried it yet
	}
	observed.Agrees = agrees(o, observed.Message)
	if observed.Agrees != nil && !*observed.Agrees {
		observed.Outdated = outdated(s, q, observed)
	}
}

// outdated says why the scheduler's last message is another than its plugins give
// now, though they may agree; "" where it is proved that they do not: it tried the
// pod after the last change, or must have.
func outdated(s *scheduler.Scheduler, q *plugins.Question, observed *report.Observed) string {
	if !s.Serves(scheduler.NameOf(q.Pod)) {
		return ProfileUnknown
	}
	if current := observed.GenerationCurrent; current != nil && !*current {
		return SpecChanged
	}
	tried, changed := observed.LastTry(), s.State.LastChange()
	switch {
	case triedSince(s.State, tried, changed), observed.Quiet == "" && mustHaveTried(s.State, q, changed):
		return ""
	case tried.IsZero():
		return NotTriedSince
	case changed.Add(attemptTakes).After(tried), s.State.ChangedAfter(tried):
		return ClusterChanged
	}
	return NotTriedSince
}

// triedSince says whether an attempt is of the present state.
func triedSince(state *scheduler.State, tried, changed time.Time) bool {
	switch {
	case tried.Before(state.LastRead()):
		return false
	case changed.IsZero():
		return !state.ChangedAfter(tried)
	}
	return !tried.Before(changed.Add(attemptTakes))
}

// mustHaveTried says whether the state has stood for longer than the scheduler
// leaves a pod untried.
func mustHaveTried(state *scheduler.State, q *plugins.Question, changed time.Time) bool {
	settled := state.LastRead()
	if changed.After(settled) {
		settled = changed
	}
	return q.Now.Sub(settled) > scheduler.MaxInUnschedulablePods+flushes+q.Backoff
}

// agrees compares what the scheduler would write with what it wrote, in our words
// or in those of its version. The node of a successful preemption is picked from
// a random offset, so there only what comes before counts. Null where one of them
// is missing.
func agrees(o preemption.Outcome, observed string) *bool {
	if o.Message == "" || observed == "" {
		return nil
	}
	if slices.Contains(o.Legacy, observed) {
		return new(true)
	}
	if !o.Successful {
		return new(o.Message == observed)
	}
	mine, _, _ := strings.Cut(o.Message, "preemption:")
	theirs, _, _ := strings.Cut(observed, "preemption:")
	return new(mine == theirs)
}
