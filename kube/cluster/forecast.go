package cluster

import (
	"context"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Forecast says what the scheduler would make of a supposed state. Before
// everything is in, the error is ErrReading.
func (c *Cluster) Forecast(ctx context.Context, supposed plan.Hypothesis) (forecast *plan.Forecast, err error) {
	caveats, err := c.whole(func(e *explain.Engine) (err error) {
		forecast, err = e.Forecast(ctx, supposed)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(caveats) > 0 {
		copied := *forecast
		if copied.Unknown != "" {
			caveats = append([]string{copied.Unknown}, caveats...)
		}
		copied.Unknown = strings.Join(caveats, "; ")
		forecast = &copied
	}
	return forecast, nil
}
