package report

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestBrieflyWhatChangedStandsLast and nothing before it that a short preview has no room for.
func TestBrieflyWhatChangedStandsLast(t *testing.T) {
	now := time.Date(2026, 11, 29, 14, 30, 0, 0, time.UTC)
	r := &Report{Pod: PodRef{Namespace: "media"}, Preempted: &Preempted{
		Names: "relay-hqp-…", Count: 8, Last: new(metav1.NewTime(now.Add(-4 * time.Minute))),
		By: []Preemptor{{
			Kind: "DaemonSet", Namespace: "observability", Name: "otel-node", Count: 8, Priority: new(int32(900000000)),
			Rollout: &Rollout{Since: new(metav1.NewTime(now.Add(-time.Hour))), Changes: []TemplateChange{{Field: "request", Key: "cpu", Before: "120m", After: "1.3"}}},
		}},
	}}
	const (
		whole = "8 pods named relay-hqp-… were preempted, the last 4m ago, by daemonset/otel-node in observability (priority 900000000), which changed 1h ago: cpu request 1.3 instead of 120m."
		brief = "8 pods named like it were preempted by daemonset/otel-node in observability, which changed: cpu request 1.3 instead of 120m."
	)
	if got := PreemptedSentence(r, now); got != whole {
		t.Errorf("got  %q\nwant %q", got, whole)
	}
	if got := PreemptedBriefly(r); got != brief {
		t.Errorf("got  %q\nwant %q", got, brief)
	}
	if got := PreemptedBriefly(&Report{}); got != "" {
		t.Errorf("without any: %q", got)
	}
}
