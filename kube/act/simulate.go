package act

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// simulate adds to the plan where the scheduler would place the pods. If that cannot
// be simulated, the plan says why.
func (a *Actor) simulate(ctx context.Context, p *plan.Plan, on *model.Snapshot) error {
	supposed := p.Supposed(on)
	if len(supposed.Nodes)+len(supposed.Pods)+len(supposed.Gone) == 0 {
		return nil
	}
	forecast, err := a.State.Forecast(ctx, supposed)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err != nil {
		forecast = &plan.Forecast{Unknown: err.Error()}
	}
	p.Foretell(forecast)
	return nil
}
