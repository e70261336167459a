package model

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// PreemptedReason is that of the events with which a scheduler tells of the victims of a preemption: the
// victim is what they are about, and the preemptor is related, except in v1.37, which names no pod
// (pkg/scheduler/framework/preemption).
const PreemptedReason = "Preempted"

// NewEvent reads both versions of events: the newer one counts and
// dates its series in other fields.
func NewEvent(e *corev1.Event) Event {
	event := Event{
		Type: e.Type, Reason: e.Reason, Message: e.Message,
		Source: cmp.Or(e.ReportingController, e.Source.Component),
		Count:  max(e.Count, 1),
		First:  e.FirstTimestamp.Time, Last: e.LastTimestamp.Time,
	}
	if event.First.IsZero() {
		event.First = e.EventTime.Time
	}
	if event.First.IsZero() {
		event.First = e.CreationTimestamp.Time
	}
	if e.Series != nil {
		event.Count = max(event.Count, e.Series.Count)
		event.Last = e.Series.LastObservedTime.Time
	}
	if event.Last.IsZero() {
		event.Last = event.First
	}
	return event
}

// SortEvents puts the newest first.
func SortEvents(events []Event) {
	slices.SortStableFunc(events, func(a, b Event) int { return b.Last.Compare(a.Last) })
}
