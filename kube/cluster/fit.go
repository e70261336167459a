package cluster

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Fit says how many equal pods that do not exist yet fit a cluster, where, and what stops
// the next one. Before everything is in, the error is ErrReading.
func Fit(ctx context.Context, c *Cluster, q report.FitQuery) (answer *report.Fit, err error) {
	caveats, err := c.whole(func(e *explain.Engine) (err error) {
		answer, err = e.Fit(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer.Scheduler.Caveats = append(answer.Scheduler.Caveats, caveats...)
	return answer, nil
}
