package pending

import (
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestACountIsShortenedToItsRoomAndNeverDropped(t *testing.T) {
	whole := tally{explained: map[string]int{"unschedulable": 7, "preempting": 1, "gated": 2, "image": 3}, pods: 13, rejected: 2}
	for _, test := range []struct {
		width int
		want  string
	}{
		{90, "13 pending: 7 unschedulable, 1 preempting, 2 gated, 3 image. 2 could not be created."},
		{76, "13 pending: 7 unschedulable, 1 preempting, 2 gated, 3 image. 2 not created."},
		{70, "13 pending: 7 unschedulable, 1 preempting, 5 other. 2 not created."},
		{54, "13 pending: 7 unschedulable, 6 other. 2 not created."},
		{40, "13 pending: 7 unschedulable, 6 other."},
		{30, "13 pending. 2 not created."},
		{20, "13 pending."},
	} {
		if got := whole.fitting("13 pending", test.width); got != test.want {
			t.Errorf("in %d cells: %q, want %q", test.width, got, test.want)
		}
	}
}

// TestWhatIsSaidOfAllPodsThatWereNotCreatedComesFirst where no pod is pending, and only if it is said of all of them.
func TestWhatIsSaidOfAllPodsThatWereNotCreatedComesFirst(t *testing.T) {
	const webhook = `failed calling webhook "pods.policy.example"`
	said := func(why string, rejections ...report.Rejection) *report.Report {
		return &report.Report{Why: why, Admission: &report.Admission{Rejections: rejections}}
	}
	for name, c := range map[string]struct {
		rejected []*report.Report
		width    int
		want     string
	}{
		"of all":               {[]*report.Report{said(webhook), said(webhook)}, 100, `2 pods could not be created: failed calling webhook "pods.policy.example". No pending pods.`},
		"of one":               {[]*report.Report{said(webhook)}, 100, `1 pod could not be created: failed calling webhook "pods.policy.example". No pending pods.`},
		"in less room":         {[]*report.Report{said(webhook), said(webhook)}, 60, `2 pods could not be created: failed calling webhook "pods.p…`},
		"another of the last":  {[]*report.Report{said(webhook), said(webhook), said("denied")}, 100, "No pending pods. 3 could not be created."},
		"one is not explained": {[]*report.Report{nil, said(webhook)}, 100, "No pending pods. 2 could not be created."},
		"a quota rejects one":  {[]*report.Report{said(webhook), said("compute: pods", report.Rejection{Plugin: "ResourceQuota"})}, 100, "No pending pods. 2 could not be created."},
	} {
		var counted tally
		for _, r := range c.rejected {
			counted.addRejected(1, r)
		}
		if got := counted.nonePending(c.width); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
