package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// lately: a scheduler that handled a pod within this time is running.
	lately = 5 * time.Minute
	// seriesLife is the same for events. Of equal failed attempts
	// only the first is written at once; the rest is counted every 30 minutes, and
	// a series ends 6 minutes after its last (refreshTime and finishTime of
	// k8s.io/client-go/tools/events).
	seriesLife = 36 * time.Minute
	// soonTried is the time within which a running scheduler tries a new pod.
	soonTried = 5 * time.Minute
)

// signs are the signs of a scheduler other than its Lease.
type signs struct {
	scheduler string
	now       time.Time
	after     time.Time // signs from before it stopped renewing its Lease do not count; zero: all count

	newest    time.Time
	what      string               // what it did then: "bound pod", "FailedScheduling of pod"
	of        types.NamespacedName // the pod that it did that to
	alive     bool
	more      bool      // not all was looked at: there may be a newer sign
	leftAlone string    // the newest pod of those that it should have tried and has not
	leftSince time.Time // when that was created
}

// add notes what the scheduler did to a pod at some time. It is running if that was within
// the given time.
func (s *signs) add(at time.Time, within time.Duration, what string, pod types.NamespacedName) {
	if at.IsZero() || !s.after.IsZero() && at.Before(s.after.Add(LeaseTime)) {
		return
	}
	s.alive = s.alive || s.now.Sub(at) < within
	if at.After(s.newest) {
		s.newest, s.what, s.of = at, what, pod
	}
}

// lives reports whether a sign is new enough, and no pod has come since that the scheduler left alone.
func (s *signs) lives() bool { return s.alive && !s.stopped() }

// stopped reports whether a pod has come since the newest sign, and the scheduler has not tried it
// for long. Where there may be a newer sign it is not known.
func (s *signs) stopped() bool {
	return s.leftAlone != "" && s.leftSince.After(s.newest) && !s.more
}

// recent reports whether the newest sign is as new as that of a Lease that is held: a newer
// one would say little more.
func (s *signs) recent() bool { return s.alive && s.now.Sub(s.newest) < LeaseTime }

// words are the newest sign and its age: "last seen 3m ago: FailedScheduling of pod ml/web".
// Where there may be a newer one it is only "seen".
func (s *signs) words() string {
	seen := "last seen "
	if s.more {
		seen = "seen "
	}
	return seen + duration.HumanDuration(max(s.now.Sub(s.newest), 0)) + " ago: " + s.what + " " + s.of.String()
}

// podSigns looks at the pods that name the scheduler. A page with one that was bound
// or refused lately is enough, and of the default scheduler's, which are most pods
// of a cluster, one page is. Where only one namespace may be read, the error is
// that of the others.
func (a *CachedReader) podSigns(ctx context.Context, seen *signs) error {
	if held := a.held.Load(); held != nil && held.Pods != nil {
		if pods := held.Pods(); pods != nil {
			return a.watchedPodSigns(ctx, seen, pods)
		}
	}
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.schedulerName", seen.scheduler).String(), Limit: page}
	var unread error
	for namespace := metav1.NamespaceAll; ; {
		list, err := a.options.Client.CoreV1().Pods(namespace).List(ctx, options)
		switch {
		case err != nil && namespace == metav1.NamespaceAll && options.Continue == "":
			namespace, unread = a.options.Namespace, err
			continue
		case err != nil:
			return err
		}
		for i := range list.Items {
			seen.pod(&list.Items[i])
		}
		if list.Continue == "" || seen.lives() || seen.scheduler == corev1.DefaultSchedulerName {
			seen.more = list.Continue != "" || unread != nil
			return unread
		}
		options.Continue = list.Continue
	}
}

// mostTried is how many pods that the scheduler refused are read again.
const mostTried = 3

// watchedPodSigns looks at all pods that informers hold, for the newest sign. These have no
// managed fields, which tell when a pod was refused last: some pods are read for it, unless
// there is a recent sign.
func (a *CachedReader) watchedPodSigns(ctx context.Context, seen *signs, pods []*corev1.Pod) error {
	var rejected []*corev1.Pod
	for _, pod := range pods {
		seen.pod(pod)
		if by := pod.Spec.SchedulerName; pod.Spec.NodeName == "" && by == seen.scheduler && forScheduler(pod) && isRejected(pod) {
			rejected = append(rejected, pod)
		}
	}
	if seen.more = len(rejected) > 0; seen.recent() {
		return nil
	}
	return readRejected(ctx, a, seen, rejected)
}

// readRejected reads pods that the scheduler rejected, those that were written last first, until there
// is a recent sign.
func readRejected(ctx context.Context, a *CachedReader, seen *signs, rejected []*corev1.Pod) error {
	slices.SortFunc(rejected, func(a, b *corev1.Pod) int {
		later, _ := resourceversion.CompareResourceVersion(b.ResourceVersion, a.ResourceVersion) // of a file it may not be valid: no order
		return later
	})
	read := 0
	for ; read < min(len(rejected), mostTried) && !seen.recent(); read++ {
		pod := rejected[read]
		named := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, pod.Name).String()}
		list, err := a.options.Client.CoreV1().Pods(pod.Namespace).List(ctx, named)
		if err != nil {
			return err
		}
		for i := range list.Items {
			seen.pod(&list.Items[i])
		}
	}
	seen.more = read < len(rejected)
	return nil
}

// pod takes in what a pod tells of its scheduler.
func (s *signs) pod(pod *corev1.Pod) {
	if by := pod.Spec.SchedulerName; by != "" && by != s.scheduler {
		return
	}
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	for i := range pod.Status.Conditions {
		condition := &pod.Status.Conditions[i]
		switch {
		case condition.Type != corev1.PodScheduled:
		case condition.Status == corev1.ConditionTrue:
			s.add(condition.LastTransitionTime.Time, lately, "bound pod", name)
			return
		case isRejection(condition):
			at := condition.LastTransitionTime.Time // of the first such try
			if written := conditionWritten(pod); written.After(at) {
				at = written
			}
			s.add(at, lately, "tried pod", name)
			return
		}
	}
	created := pod.CreationTimestamp.Time
	if forScheduler(pod) && !mayWait(pod) && s.now.Sub(created) > soonTried && (s.leftAlone == "" || created.After(s.leftSince)) {
		s.leftAlone, s.leftSince = name.String(), created
	}
}

// isRejection reports whether a PodScheduled condition is of a try that failed.
func isRejection(condition *corev1.PodCondition) bool {
	return condition.Reason == corev1.PodReasonUnschedulable || condition.Reason == corev1.PodReasonSchedulerError
}

// isRejected reports whether the scheduler tried the pod and failed.
func isRejected(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == corev1.PodScheduled {
			return isRejection(condition)
		}
	}
	return false
}

// forScheduler reports whether a running scheduler would try the pod.
func forScheduler(pod *corev1.Pod) bool {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 && !ended
}

// mayWait reports whether a running scheduler may have left no mark on the pod: it keeps it out of its
// queue until its ResourceClaims are created, its gang is complete or its gates are removed, and while it
// binds the pod it waits for volumes.
func mayWait(pod *corev1.Pod) bool {
	volumes := slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil })
	gated := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated
	})
	return volumes || gated || len(pod.Spec.ResourceClaims) > 0 || pod.Spec.SchedulingGroup != nil || pod.Status.NominatedNodeName != ""
}

// conditionWritten is when the PodScheduled condition was written last, as far as
// the pod's managed fields tell: its transition time stays while it says no.
func conditionWritten(pod *corev1.Pod) (at time.Time) {
	for _, entry := range pod.ManagedFields {
		if entry.FieldsV1 == nil || entry.Time == nil || entry.Subresource != "status" {
			continue
		}
		var owned struct {
			Status struct {
				Conditions map[string]json.RawMessage `json:"f:conditions"`
			} `json:"f:status"`
		}
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned) != nil {
			continue
		}
		if _, ok := owned.Status.Conditions[`k:{"type":"PodScheduled"}`]; ok && entry.Time.After(at) {
			at = entry.Time.Time
		}
	}
	return at
}

// eventSigns looks at the events that the scheduler wrote about pods. Others, as
// autoscalers, write events of the same reasons under names of their own. Where
// only one namespace may be read, the error is that of the others.
func (a *CachedReader) eventSigns(ctx context.Context, seen *signs) error {
	err := a.eventSignsIn(ctx, metav1.NamespaceAll, seen)
	if err != nil {
		seen.more = true
		_ = a.eventSignsIn(ctx, a.options.Namespace, seen) // what is found counts, what is not found does not
	}
	return err
}

func (a *CachedReader) eventSignsIn(ctx context.Context, namespace string, seen *signs) error {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return a.options.Client.CoreV1().Events(namespace).List(ctx, options)
	})
	pages.PageSize = page
	read := 0
	by := fields.Set{"source": seen.scheduler, "involvedObject.kind": "Pod"}
	err := pages.EachListItem(ctx, metav1.ListOptions{FieldSelector: by.String()}, func(o runtime.Object) error {
		e, ok := o.(*corev1.Event)
		if !ok {
			return fmt.Errorf("list events: %T among them", o)
		}
		if event := model.NewEvent(e); event.Source == seen.scheduler && e.InvolvedObject.Kind == "Pod" {
			seen.add(event.Last, seriesLife, event.Reason+" of pod", types.NamespacedName{Namespace: e.InvolvedObject.Namespace, Name: e.InvolvedObject.Name})
		}
		if read++; read%page == 0 && (seen.lives() || seen.scheduler == corev1.DefaultSchedulerName) {
			seen.more = true
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// errEnough ends a list of which the rest is of no interest.
var errEnough = errors.New("enough was read")
