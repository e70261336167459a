package model

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// The states of a resize in place, by the pod's conditions PodResizePending and
// PodResizeInProgress, or by status.resize of older versions.
const (
	ResizeDeferred   = corev1.PodReasonDeferred   // the node has not enough free; the kubelet tries again
	ResizeInfeasible = corev1.PodReasonInfeasible // the node cannot grant it
	ResizeInProgress = "InProgress"               // it was granted, and is being carried out
	ResizeError      = corev1.PodReasonError      // carrying it out failed; the kubelet tries again
)

// Resize is how far the kubelet is with a resize in place.
type Resize struct {
	State   string    // one of the states; "" where no resize is under way
	Message string    // what the kubelet said
	Since   time.Time // zero is unknown, as in older versions
}

// ResizeOf is the resize of a pod.
func ResizeOf(pod *corev1.Pod) Resize {
	r := Resize{State: string(pod.Status.Resize)}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Status != corev1.ConditionTrue || c.Type != corev1.PodResizePending && c.Type != corev1.PodResizeInProgress {
			continue
		}
		if c.Type == corev1.PodResizeInProgress && (r.State == ResizeDeferred || r.State == ResizeInfeasible) {
			continue // a new one was asked for meanwhile
		}
		r = Resize{State: c.Reason, Message: c.Message, Since: c.LastTransitionTime.Time}
		if c.Type == corev1.PodResizeInProgress && c.Reason != ResizeError {
			r.State = ResizeInProgress
		}
	}
	return r
}
