package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Preemption is planned where it is a question, and what fails there leaves the
// report as it is, with a note.
func TestPreemptionIsPlannedWhereItIsAQuestion(t *testing.T) {
	r := &report.Report{Verdict: report.Schedulable}
	got, err := withPreemption(r, func() (*report.PreemptionPlan, error) {
		t.Error("planned for a pod that fits")
		return nil, nil
	})
	if got != r || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	r = &report.Report{Verdict: report.Unschedulable, Preemption: &report.Preemption{Why: "known"}}
	got, err = withPreemption(r, func() (*report.PreemptionPlan, error) { return nil, errors.New("it failed") })
	noted := err == nil && slices.ContainsFunc(got.Scheduler.Caveats, func(c string) bool { return strings.HasSuffix(c, "it failed") })
	if !noted || got.Preemption.Why != "known" || len(r.Scheduler.Caveats) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = withPreemption(r, func() (*report.PreemptionPlan, error) { return nil, explain.ErrNoPod })
	if !errors.Is(err, explain.ErrNoPod) {
		t.Errorf("a pod that is gone: %v", err)
	}
}
