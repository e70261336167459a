package ui

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// ganged makes of a report one of a pod that fits a node, and whose group does not.
func ganged(r *report.Report) *report.Report {
	r.Summary = "It fits 1 node alone, but PodGroup train does not fit: 5 of 8 pending pods fit now, it needs 8."
	r.SchedulerMessage, r.Preemption, r.Observed.Agrees = "", nil, nil
	r.Why, r.BlockedBy, r.Fits = "train: 5 of 8 fit", "gang", 1
	r.Groups = append([]report.Group{{Count: 1, Nodes: []string{"std-b-02"}, Fits: new(true), Words: "fits alone: std-b-02"}}, slices.Clone(r.Groups)...)
	for i := range r.Nodes {
		if r.Nodes[i].Name == "std-b-02" {
			r.Nodes[i].Fits, r.Nodes[i].Rejections = new(true), nil
		}
	}
	r.Gang = &report.Gang{
		Kind: "PodGroup", Name: "train", Scheduler: report.KubeScheduler, Policy: "gang", MinCount: new(8), Members: new(8), Bound: new(0),
		Pending: new(8), Places: new(5), Fits: new(false), Reason: "the 6th, train-5: std-b-02 needs cpu 4 more",
	}
	r.Tried = &report.Fixes{None: "Not simulated: the pod is scheduled with PodGroup train."}
	return r
}

func TestWhyShowsTheGangOfAPod(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			requireScreen(t, whyOf(t, size.width, size.height, ganged(checkoutReport()), checkoutEvents()))
		})
	}
	t.Run("messages", func(t *testing.T) {
		app := whyOf(t, 80, 24, ganged(checkoutReport()), checkoutEvents())
		press(t, app, "W")
		requireScreen(t, app)
	})
}
