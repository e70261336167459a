package model

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
)

// comparisonOperators is the feature gate TaintTolerationComparisonOperators, which is off
// unless a cluster turns it on: tolerations by the operators Lt and Gt match nothing. Like the
// scheduler's gates it belongs to the process.
var comparisonOperators atomic.Bool

// CompareTolerations says whether tolerations by the operators Lt and Gt match.
func CompareTolerations(on bool) { comparisonOperators.Store(on) }

// ComparesTolerations reports whether tolerations by the operators Lt and Gt match.
func ComparesTolerations() bool { return comparisonOperators.Load() }

// Tolerates reports whether a taint is tolerated, by the function that the scheduler's
// plugin TaintToleration calls.
func Tolerates(tolerations []corev1.Toleration, taint *corev1.Taint) bool {
	return scheduling.TolerationsTolerateTaint(logr.Discard(), tolerations, taint, comparisonOperators.Load())
}

// ToleratesTaints reports whether all taints that count are tolerated, by the function
// that the scheduler's plugin TaintToleration calls.
func ToleratesTaints(tolerations []corev1.Toleration, taints []corev1.Taint, counts func(*corev1.Taint) bool) bool {
	_, rejected := scheduling.FindMatchingUntoleratedTaint(logr.Discard(), taints, tolerations, counts, comparisonOperators.Load())
	return !rejected
}

// tolerating is the first toleration that matches a taint; nil without one.
func tolerating(tolerations []corev1.Toleration, taint *corev1.Taint) *corev1.Toleration {
	at := slices.IndexFunc(tolerations, func(t corev1.Toleration) bool {
		return t.ToleratesTaint(logr.Discard(), taint, comparisonOperators.Load())
	})
	if at < 0 {
		return nil
	}
	return &tolerations[at]
}

// EvictedAfter says whether NoExecute taints evict a pod with these tolerations, and how
// long it may stay until then. It follows the taint eviction controller: all
// taints count together, each by the first toleration that matches it, and the
// least of their tolerationSeconds holds.
func EvictedAfter(taints []corev1.Taint, tolerations []corev1.Toleration) (after time.Duration, goes bool) {
	least := int64(-1)
	for i := range taints {
		matching := tolerating(tolerations, &taints[i])
		if matching == nil {
			return 0, true
		}
		if seconds := matching.TolerationSeconds; seconds != nil && (least < 0 || *seconds < least) {
			least = max(*seconds, 0)
		}
	}
	return time.Duration(least) * time.Second, least >= 0
}

// TaintEviction is the deletion of a pod by the taint eviction controller.
type TaintEviction struct {
	After time.Duration // how long the pod tolerates the taint; 0: not at all
	At    time.Time     // when it is deleted; zero: not known, for a taint has no time
	Taint *corev1.Taint // the taint that sets the time
}

// justDue is how long after its time an eviction is said to be now: the controller's clock
// may be another, and a deletion takes a moment to be seen.
const justDue = 10 * time.Second

// When is when the pod is evicted: "now", "in 56s", "within 5m" where it is not known since
// when the node has the taint, "due 3m ago" where the controller should have deleted it.
func (e *TaintEviction) When(now time.Time) string {
	switch {
	case e.At.IsZero() && e.After == 0:
		return "now"
	case e.At.IsZero():
		return "within " + duration.HumanDuration(e.After)
	}
	switch left := e.At.Sub(now); {
	case left > 0:
		return "in " + duration.HumanDuration(left)
	case -left <= justDue:
		return "now"
	default:
		return "due " + duration.HumanDuration(-left) + " ago"
	}
}

// EvictionByTaints is when NoExecute taints of its node evict a pod, by
// processPodOnNode of k8s.io/kubernetes/pkg/controller/tainteviction; nil is never. The
// countdown begins when the pod is first on the node with a taint that it tolerates for
// a time, and a taint that is added later does not change it, unless the pod does not
// tolerate that at all. The controller counts from when it sees taint and pod, so after it
// was started again it counts from then. Times are in seconds: of what comes in the same
// second, the sooner eviction is given.
func EvictionByTaints(pod *corev1.Pod, taints []corev1.Taint) *TaintEviction {
	bound := boundAt(pod)
	var atOnce *TaintEviction
	for i := range taints {
		taint := &taints[i]
		if taint.Effect != corev1.TaintEffectNoExecute || tolerating(pod.Spec.Tolerations, taint) != nil {
			continue
		}
		from := beginsAt(taint, bound)
		if atOnce == nil || !from.IsZero() && (atOnce.At.IsZero() || from.Before(atOnce.At)) {
			atOnce = &TaintEviction{At: from, Taint: taint}
		}
	}
	later := countdown(pod, taints, bound)
	if atOnce == nil {
		return later
	}
	if later != nil && !later.At.IsZero() && later.At.Before(atOnce.At) {
		atOnce.At = later.At // it was due already
	}
	return atOnce
}

// countdown is when a pod is evicted by the taints that it tolerates for a time; nil is
// never.
func countdown(pod *corev1.Pod, taints []corev1.Taint, bound time.Time) (later *TaintEviction) {
	var begins time.Time // zero is not known
	for i := range taints {
		taint := &taints[i]
		matching := tolerating(pod.Spec.Tolerations, taint)
		if taint.Effect != corev1.TaintEffectNoExecute || matching == nil || matching.TolerationSeconds == nil {
			continue
		}
		from := beginsAt(taint, bound)
		after := time.Duration(max(*matching.TolerationSeconds, 0)) * time.Second
		if later == nil || precedes(from, begins) || from.Equal(begins) && after < later.After {
			later, begins = &TaintEviction{After: after, Taint: taint}, from
		}
	}
	if later != nil && !begins.IsZero() {
		later.At = begins.Add(later.After)
	}
	return later
}

// beginsAt is when a pod that was scheduled at bound is first on its node with a taint;
// zero where the taint has no time.
func beginsAt(taint *corev1.Taint, bound time.Time) time.Time {
	switch {
	case taint.TimeAdded == nil:
		return time.Time{}
	case taint.TimeAdded.Time.Before(bound):
		return bound
	}
	return taint.TimeAdded.Time
}

// precedes reports whether a countdown that begins at a holds and not one that begins at
// b. One whose begin is not known may be the first.
func precedes(a, b time.Time) bool { return !b.IsZero() && (a.IsZero() || a.Before(b)) }

// boundAt is when the pod was scheduled on its node; when it was created, if it does not
// say.
func boundAt(pod *corev1.Pod) time.Time {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue && !c.LastTransitionTime.IsZero() {
			return c.LastTransitionTime.Time
		}
	}
	return pod.CreationTimestamp.Time
}
