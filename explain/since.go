package explain

import (
	"maps"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// What may be said where kube-scheduler's last message is not the one that its
// plugins give now, and that is no disagreement.
const (
	clusterChanged = "cluster changed since kube-scheduler's last attempt"
	specChanged    = "the pod's spec changed since kube-scheduler's last attempt"
	notTriedSince  = "kube-scheduler's last message differs; no attempt since is known"
	profileUnknown = "its scheduler's message differs; the profile of that scheduler is not known"
)

// attemptTakes is how much later than a change an attempt has to be to have seen
// it: clocks differ, and changes take a while to get around.
const attemptTakes = 5 * time.Second

// flushes is how much later than triedAgain a pod may be tried: the queue looks
// every 30 seconds for pods to try again (Run of pkg/scheduler/backend/queue).
const flushes = 30 * time.Second

// moves is when the state was seen to move, by the engine's clock. What is not
// about whether pods fit, as heartbeats and pods without a node, does not move it.
type moves struct {
	began   time.Time    // when the engine was made
	read    time.Time    // when something came in last that was there before
	changed time.Time    // when something changed last
	others  atomic.Int64 // the same of what is no node and no pod, in Unix nanoseconds

	pending  atomic.Bool  // something changed that Apply has not numbered yet
	revision atomic.Int64 // the newest with a change
}

// now notes that something changes at that time.
func (m *moves) now(at time.Time) {
	m.changed = at
	m.pending.Store(true)
}

// came notes that an object came in that was as it is since then.
func (m *moves) came(since, now time.Time) {
	if since.After(m.began) {
		m.now(now)
	}
	m.read = now
}

// lastChange is when something changed last; zero where nothing was seen to.
func (m *moves) lastChange() time.Time {
	nanos := m.others.Load()
	if at := time.Unix(0, nanos); nanos != 0 && at.After(m.changed) {
		return at
	}
	return m.changed
}

// Touch notes that an object changed that plugins read and that Apply is not told
// of. It never waits.
func (e *Engine) Touch(object runtime.Object) {
	switch object.(type) {
	case *appsv1.ReplicaSet, *appsv1.StatefulSet, *corev1.ReplicationController, *corev1.Service:
		return // scores rest on them, and nothing else
	}
	e.moves.others.Store(e.options.Now().UnixNano())
	e.moves.pending.Store(true)
}

// Moved is the newest revision with a change that bears on which nodes fit: what
// was explained at an older one may be another now. 0: nothing changed since the
// cluster was read.
func (e *Engine) Moved() int64 { return e.moves.revision.Load() }

// nodeMoved notes a node's change; was is nil for a new one.
func (e *Engine) nodeMoved(was, is *corev1.Node) {
	switch now := e.options.Now(); {
	case was == nil:
		e.moves.came(is.CreationTimestamp.Time, now)
	case was.Spec.Unschedulable != is.Spec.Unschedulable,
		!apiequality.Semantic.DeepEqual(was.Spec.Taints, is.Spec.Taints),
		!maps.Equal(was.Labels, is.Labels),
		!apiequality.Semantic.DeepEqual(was.Status.Allocatable, is.Status.Allocatable),
		!apiequality.Semantic.DeepEqual(was.Status.DeclaredFeatures, is.Status.DeclaredFeatures):
		e.moves.now(now)
	}
}

// podMoved notes a pod's change; was is nil for a new one.
func (e *Engine) podMoved(was, is *corev1.Pod) {
	now := e.options.Now()
	switch {
	case was == nil && onNode(is):
		e.moves.came(boundAt(is), now)
	case was == nil:
	case onNode(was) != onNode(is), was.Spec.NodeName != is.Spec.NodeName,
		was.Status.NominatedNodeName != is.Status.NominatedNodeName,
		onNode(is) && (was.Generation != is.Generation || (was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil) ||
			!maps.Equal(was.Labels, is.Labels)):
		e.moves.now(now)
	}
}

// compare tells whether the scheduler's last message is the one that its plugins
// give now and, where it is not, why that is no disagreement.
func (x *explanation) compare(o outcome, observed *report.Observed) {
	observed.Agrees = agrees(o, observed.Message)
	if observed.Agrees != nil && !*observed.Agrees {
		observed.Outdated = x.outdated(observed)
	}
}

// outdated says why the scheduler's last message is another than its plugins give
// now, though they may agree; "" where it is proved that they do not: it tried the
// pod after the last change, or must have.
func (x *explanation) outdated(observed *report.Observed) string {
	if !x.serves(schedulerName(x.question.Pod)) {
		return profileUnknown
	}
	if current := observed.GenerationCurrent; current != nil && !*current {
		return specChanged
	}
	tried, changed := observed.LastTry(), x.moves.lastChange()
	switch {
	case x.triedSince(tried, changed), observed.Quiet == "" && x.mustHaveTried(changed):
		return ""
	case tried.IsZero():
		return notTriedSince
	case changed.Add(attemptTakes).After(tried), x.changedAfter(tried):
		return clusterChanged
	}
	return notTriedSince
}

// triedSince says whether an attempt is of the present state.
func (x *explanation) triedSince(tried, changed time.Time) bool {
	switch {
	case tried.Before(x.moves.read):
		return false
	case changed.IsZero():
		return !x.changedAfter(tried)
	}
	return !tried.Before(changed.Add(attemptTakes))
}

// mustHaveTried says whether the state has stood for longer than the scheduler
// leaves a pod untried.
func (x *explanation) mustHaveTried(changed time.Time) bool {
	settled := x.moves.read
	if changed.After(settled) {
		settled = changed
	}
	return x.question.Now.Sub(settled) > triedAgain+flushes+x.question.Backoff
}

// changedAfter says whether objects themselves tell of a change after that time:
// a new node, a taint, a pod that got its node.
func (e *Engine) changedAfter(at time.Time) bool {
	for _, node := range e.nodes {
		if node.CreationTimestamp.After(at) {
			return true
		}
		for i := range node.Spec.Taints {
			if added := node.Spec.Taints[i].TimeAdded; added != nil && added.After(at) {
				return true
			}
		}
	}
	for _, pod := range e.pods {
		if !onNode(pod) {
			continue
		}
		if c := scheduledCondition(pod); c != nil && c.Status == corev1.ConditionTrue && c.LastTransitionTime.After(at) {
			return true
		}
	}
	return false
}
