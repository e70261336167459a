package act

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// simulate adds to the plan which Jobs fail by it, and where the scheduler would place the
// pods. If that cannot be simulated, the plan says why.
func (a *Actor) simulate(ctx context.Context, p *plan.Plan, on *model.Snapshot) error {
	jobs, err := readAll(ctx, plan.JobsOf(p), func(ctx context.Context, ref model.Ref) (*batchv1.Job, error) {
		return a.Reader.BatchV1().Jobs(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	})
	if err != nil {
		return fmt.Errorf("read Jobs: %w", err)
	}
	plan.TellJobs(p, jobs)
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
