package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// preempting explains as ask does, and plans what preemption could do.
func (l *live) preempting(ask func(context.Context, types.UID) (*report.Report, error)) func(context.Context, types.UID) (*report.Report, error) {
	return func(ctx context.Context, pod types.UID) (*report.Report, error) {
		r, err := ask(ctx, pod)
		if err != nil {
			return nil, err
		}
		return withPreemption(r, func() (*report.PreemptionPlan, error) { return l.Preempt(ctx, pod, "") })
	}
}

// withPreemption is the report with what plan finds out about preemption, where
// preemption is a question at all. A plan that fails does not keep the report
// from being told.
func withPreemption(r *report.Report, plan func() (*report.PreemptionPlan, error)) (*report.Report, error) {
	if r.Verdict != report.Unschedulable && r.Verdict != report.Preempting {
		return r, nil
	}
	found, err := plan()
	told := *r
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, explain.ErrNoPod):
		return nil, err
	case err != nil:
		told.Scheduler.Caveats = append(slices.Clone(told.Scheduler.Caveats), fmt.Sprintf("what becomes of victims of preemption could not be found out: %v", err))
	default:
		told.Preemption = found.Brief()
	}
	return &told, nil
}
