package pending

import "testing"

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
