package priorities

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

func TestTheQueueCountsTheStatesOfAllItsPods(t *testing.T) {
	of := func(scheduler, state string, n int) []queued {
		return slices.Repeat([]queued{{Scheduler: scheduler, State: state}}, n)
	}
	usual := slices.Concat(
		of(corev1.DefaultSchedulerName, inventory.Active, 2), of(corev1.DefaultSchedulerName, inventory.Unschedulable, 16),
		of(corev1.DefaultSchedulerName, inventory.Gated, 1),
	)
	mixed := append(slices.Clone(usual), of("batch", inventory.Active, 1)...)
	for _, test := range []struct {
		rows  []queued
		width int
		want  string
	}{
		{usual, 79, "19 without a node: 16 unschedulable, 2 not tried, 1 gated."},
		{mixed, 119, "20 without a node, 1 for another scheduler (places per scheduler): 16 unschedulable, 3 not tried, 1 gated."},
		{mixed, 79, "20 without a node, per scheduler: 16 unschedulable, 3 not tried, 1 gated."},
		{mixed, 60, "20 without a node: 16 unschedulable, 3 not tried, 1 gated."},
		{of("batch", inventory.Nominated, 2), 79, "2 without a node, 2 for another scheduler: 2 nominated."},
		{append(of("batch", inventory.Gated, 1), of("ml", inventory.BackOff, 1)...), 79, "2 without a node, places per scheduler: 1 back-off, 1 gated."},
	} {
		if got := queueWords(test.rows, test.width); got != test.want {
			t.Errorf("in %d cells: %q, want %q", test.width, got, test.want)
		}
	}
}

func TestTheQueueNamesSchedulersWhereThereAreSeveral(t *testing.T) {
	of := func(names ...string) (rows []queued) {
		for _, name := range names {
			rows = append(rows, queued{Scheduler: name})
		}
		return rows
	}
	for _, test := range []struct {
		rows []queued
		want int
	}{
		{nil, cells.WideFrom},
		{of("batch", "batch"), cells.WideFrom},
		{of("batch", "batch", corev1.DefaultSchedulerName), 0},
	} {
		if got := schedulerFrom(test.rows); got != test.want {
			t.Errorf("of %d rows: from %d cells, want %d", len(test.rows), got, test.want)
		}
	}
}
