package cluster

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Fit says how many equal pods that do not exist yet fit a cluster, where, and what stops
// the next one. Before everything is in, the error is ErrReading.
func Fit(ctx context.Context, c *Cluster, q report.FitQuery) (*report.Fit, error) {
	return fit(c, func(e *explain.Engine) (*report.Fit, error) { return e.Fit(ctx, q) })
}

// FitLike says how many more pods that equal one that exists fit a cluster, where, and
// what stops the next one. Before everything is in, the error is ErrReading.
func FitLike(ctx context.Context, c *Cluster, uid types.UID, replicas int) (*report.Fit, error) {
	return fit(c, func(e *explain.Engine) (*report.Fit, error) { return explain.FitLike(ctx, e, uid, replicas) })
}

// FitPending says how many of the pending pods would be scheduled with some nodes more.
// Before everything is in, the error is ErrReading.
func FitPending(ctx context.Context, c *Cluster, added report.NewNodes) (*report.Fit, error) {
	return fit(c, func(e *explain.Engine) (*report.Fit, error) { return explain.FitPending(ctx, e, added) })
}

// fit asks, and adds what limits every answer.
func fit(c *Cluster, ask func(*explain.Engine) (*report.Fit, error)) (answer *report.Fit, err error) {
	caveats, err := c.whole(func(e *explain.Engine) (err error) {
		answer, err = ask(e)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer.Scheduler.Caveats = append(answer.Scheduler.Caveats, caveats...)
	return answer, nil
}

// Lose says what becomes of the pods of some nodes if all those nodes were deleted. Before
// everything is in, the error is ErrReading.
func Lose(ctx context.Context, c *Cluster, nodes []string) (answer *report.Loss, err error) {
	caveats, err := c.whole(func(e *explain.Engine) (err error) {
		answer, err = explain.Lose(ctx, e, nodes)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer.Scheduler.Caveats = append(answer.Scheduler.Caveats, caveats...)
	return answer, nil
}
