package explain

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// scheduledCondition is the pod's PodScheduled condition, nil without one.
func scheduledCondition(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodScheduled {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// observe reads what the scheduler itself said last.
func (e *Engine) observe(ctx context.Context, pod *corev1.Pod) Observed {
	var observed Observed
	if e.options.AttemptSeen != nil {
		observed.AttemptSeen = e.options.AttemptSeen(ctx, pod)
	}
	condition := scheduledCondition(pod)
	if condition == nil {
		return observed
	}
	observed.Message = condition.Message
	if condition.Status == corev1.ConditionFalse && !condition.LastTransitionTime.IsZero() {
		observed.UnschedulableSince = condition.LastTransitionTime.DeepCopy()
	}
	if condition.ObservedGeneration != 0 && pod.Generation != 0 {
		observed.GenerationCurrent = new(condition.ObservedGeneration >= pod.Generation)
	}
	return observed
}

// agrees compares what the scheduler would write with what it wrote. The node of
// a successful preemption is picked from a random offset, so there only what
// comes before counts. Null where one of them is missing.
func agrees(o outcome, observed string) *bool {
	if o.message == "" || observed == "" {
		return nil
	}
	if !o.successful {
		return new(o.message == observed)
	}
	mine, _, _ := strings.Cut(o.message, "preemption:")
	theirs, _, _ := strings.Cut(observed, "preemption:")
	return new(mine == theirs)
}
