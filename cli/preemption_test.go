package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

// Preemption is planned where it is a question, and what fails there leaves the
// report as it is, with a note.
func TestPreemptionIsPlannedWhereItIsAQuestion(t *testing.T) {
	report := &explain.Report{Verdict: explain.Schedulable}
	got, err := withPreemption(report, func() (*explain.PreemptionPlan, error) {
		t.Error("planned for a pod that fits")
		return nil, nil
	})
	if got != report || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	report = &explain.Report{Verdict: explain.Unschedulable, Preemption: &explain.Preemption{Why: "known"}}
	got, err = withPreemption(report, func() (*explain.PreemptionPlan, error) { return nil, errors.New("it failed") })
	noted := err == nil && slices.ContainsFunc(got.Scheduler.Caveats, func(c string) bool { return strings.HasSuffix(c, "it failed") })
	if !noted || got.Preemption.Why != "known" || len(report.Scheduler.Caveats) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = withPreemption(report, func() (*explain.PreemptionPlan, error) { return nil, explain.ErrNoPod })
	if !errors.Is(err, explain.ErrNoPod) {
		t.Errorf("a pod that is gone: %v", err)
	}
}
