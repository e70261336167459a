package scheduler

import (
	"maps"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
)

// changeTimes is when the state was seen to change, by the scheduler's clock. What is
// not about whether pods fit, such as heartbeats and pods without a node, does not count.
type changeTimes struct {
	began   time.Time    // when the scheduler was made
	read    time.Time    // when something came in last that was there before
	changed time.Time    // when something changed last
	told    time.Time    // the latest change that an object itself tells of; see ChangedAfter
	others  atomic.Int64 // as changed, of what is no node and no pod, in Unix nanoseconds

	pending  atomic.Bool  // something changed that Apply has not numbered yet
	revision atomic.Int64 // the newest with a change
}

// now notes that something changes at that time.
func (m *changeTimes) now(at time.Time) {
	m.changed = at
	m.pending.Store(true)
}

// came notes that an object came in that was as it is since then.
func (m *changeTimes) came(since, now time.Time) {
	if since.After(m.began) {
		m.now(now)
	}
	m.read = now
}

// lastChange is when something changed last; zero where nothing was seen to.
func (m *changeTimes) lastChange() time.Time {
	nanos := m.others.Load()
	if at := time.Unix(0, nanos); nanos != 0 && at.After(m.changed) {
		return at
	}
	return m.changed
}

// LastChange is when something changed last that bears on which nodes fit; zero where
// nothing was seen to.
func (s *State) LastChange() time.Time { return s.changes.lastChange() }

// LastRead is when an object came in last that was there before.
func (s *State) LastRead() time.Time { return s.changes.read }

// Touch notes that an object changed that plugins read and that Apply is not told
// of. It never waits.
func (s *State) Touch(object runtime.Object) {
	switch object.(type) {
	case *appsv1.ReplicaSet, *appsv1.StatefulSet, *corev1.ReplicationController, *corev1.Service:
		if !s.selected.any { // scores rest on them, and some words; a rejection only by a default constraint
			return
		}
	}
	s.changes.others.Store(s.now().UnixNano())
	s.changes.pending.Store(true)
}

// Moved is the newest revision with a change that bears on which nodes fit, or on whether a pod
// may preempt: what was explained at an older one may be another now. 0: nothing changed since the
// cluster was read.
func (s *State) Moved() int64 { return s.changes.revision.Load() }

// tell notes that an object tells of a change at that time.
func (m *changeTimes) tell(at time.Time) {
	if at.After(m.told) {
		m.told = at
	}
}

// node notes a node's change at that time; was is nil for a new one.
func (m *changeTimes) node(was, is *corev1.Node, at time.Time) {
	m.tell(is.CreationTimestamp.Time)
	for i := range is.Spec.Taints {
		if added := is.Spec.Taints[i].TimeAdded; added != nil {
			m.tell(added.Time)
		}
	}
	switch {
	case was == nil:
		m.came(is.CreationTimestamp.Time, at)
	case was.Spec.Unschedulable != is.Spec.Unschedulable,
		!apiequality.Semantic.DeepEqual(was.Spec.Taints, is.Spec.Taints),
		!maps.Equal(was.Labels, is.Labels),
		!apiequality.Semantic.DeepEqual(was.Status.Allocatable, is.Status.Allocatable),
		!apiequality.Semantic.DeepEqual(was.Status.DeclaredFeatures, is.Status.DeclaredFeatures):
		m.now(at)
	}
}

// pod notes a pod's change at that time; was is nil for a new one. Of the labels of a pod on
// a node only those count that some pod selects pods by.
func (m *changeTimes) pod(was, is *corev1.Pod, selected *selectedLabels, at time.Time) {
	if c := PodScheduled(is); c != nil && c.Status == corev1.ConditionTrue && Assigned(is) {
		m.tell(c.LastTransitionTime.Time)
	}
	switch {
	case was == nil && Assigned(is):
		m.came(BoundAt(is), at)
	case was == nil && is.Status.NominatedNodeName != "":
		m.came(is.CreationTimestamp.Time, at)
	case was == nil:
	case Assigned(was) != Assigned(is), was.Spec.NodeName != is.Spec.NodeName,
		was.Status.NominatedNodeName != is.Status.NominatedNodeName, givesUpNomination(was, is),
		Assigned(is) && differsOnNode(was, is, selected):
		m.now(at)
	}
}

// differsOnNode says whether a pod bears otherwise on the pods that may come to its node.
func differsOnNode(was, is *corev1.Pod, selected *selectedLabels) bool {
	return was.Generation != is.Generation || (was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil) ||
		selected.differ(was.Labels, is.Labels) || was.ResourceVersion != is.ResourceVersion && requestsDiffer(was, is)
}

// givesUpNomination says whether a nominated pod begins to end, or has ended: what it is nominated for is free.
func givesUpNomination(was, is *corev1.Pod) bool {
	return was.Status.NominatedNodeName != "" && ((was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil) || Terminal(was) != Terminal(is))
}

// requestsDiffer says whether a pod takes other room on its node than before: the kubelet has carried out a
// resize, or found it infeasible, which only the status tells.
func requestsDiffer(was, is *corev1.Pod) bool {
	if sameSources(was, is) {
		return false
	}
	counted := resourcehelper.PodResourcesOptions{UseStatusResources: true}
	return !sameAmounts(resourcehelper.PodRequests(was, counted), resourcehelper.PodRequests(is, counted))
}

// sameSources says whether all that PodRequests of k8s.io/component-helpers/resource reads is the same in two
// pods, so that their requests are: of most changes of a status it is, and to sum them up makes garbage.
func sameSources(was, is *corev1.Pod) bool {
	return resourcehelper.IsPodResizeInfeasible(was) == resourcehelper.IsPodResizeInfeasible(is) &&
		sameContainers(was.Spec.Containers, is.Spec.Containers) &&
		sameContainers(was.Spec.InitContainers, is.Spec.InitContainers) &&
		sameStatuses(was.Status.ContainerStatuses, is.Status.ContainerStatuses) &&
		sameStatuses(was.Status.InitContainerStatuses, is.Status.InitContainerStatuses) &&
		sameAmounts(was.Spec.Overhead, is.Spec.Overhead) &&
		sameAmounts(requested(was.Spec.Resources), requested(is.Spec.Resources)) &&
		sameAmounts(requested(was.Status.Resources), requested(is.Status.Resources)) &&
		sameAmounts(was.Status.AllocatedResources, is.Status.AllocatedResources)
}

// sameContainers says whether containers request the same.
func sameContainers(was, is []corev1.Container) bool {
	if len(was) != len(is) {
		return false
	}
	for i := range was {
		a, b := &was[i], &is[i]
		if a.Name != b.Name || !sameAmounts(a.Resources.Requests, b.Resources.Requests) ||
			(a.RestartPolicy == nil) != (b.RestartPolicy == nil) || a.RestartPolicy != nil && *a.RestartPolicy != *b.RestartPolicy {
			return false
		}
	}
	return true
}

// sameStatuses says whether containers have been given the same.
func sameStatuses(was, is []corev1.ContainerStatus) bool {
	if len(was) != len(is) {
		return false
	}
	for i := range was {
		a, b := &was[i], &is[i]
		if a.Name != b.Name || !sameAmounts(a.AllocatedResources, b.AllocatedResources) ||
			(a.AllocatedResources == nil) != (b.AllocatedResources == nil) || !sameAmounts(requested(a.Resources), requested(b.Resources)) ||
			(requested(a.Resources) == nil) != (requested(b.Resources) == nil) {
			return false
		}
	}
	return true
}

// requested are the requests among resources; nil where there are none.
func requested(resources *corev1.ResourceRequirements) corev1.ResourceList {
	if resources == nil {
		return nil
	}
	return resources.Requests
}

// sameAmounts says whether two lists have the same amounts of the same resources.
func sameAmounts(was, is corev1.ResourceList) bool {
	return maps.EqualFunc(was, is, func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })
}

// ChangedAfter says whether objects themselves tell of a change after that time:
// a new node, a taint, a pod that got its node. Those that are gone by now count.
func (s *State) ChangedAfter(at time.Time) bool { return s.changes.told.After(at) }

// PodScheduled is the pod's PodScheduled condition, nil without one.
func PodScheduled(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodScheduled {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// BoundAt is when the pod got its node, as far as it tells.
func BoundAt(pod *corev1.Pod) (at time.Time) {
	if condition := PodScheduled(pod); condition != nil && condition.Status == corev1.ConditionTrue {
		return condition.LastTransitionTime.Time
	}
	if pod.Status.StartTime != nil {
		return pod.Status.StartTime.Time
	}
	return pod.CreationTimestamp.Time
}
