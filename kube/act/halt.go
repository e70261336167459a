package act

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// halt stops the jobs that the plan stops and waits until none of their requests
// for the end of a pod is on its way: what the plan changes then is not worked
// against any more. Where another job has begun since that the plan would have to
// stop, the error is ErrChanged, and nothing is stopped.
func (a *Actor) halt(ctx context.Context, plan *plan.Plan) error {
	if begun := plan.Unstopped(a.Jobs()); begun != nil {
		return fmt.Errorf("%s %w: %s has begun", plan.Action.Name(), ErrChanged, begun.Name)
	}
	for _, stopped := range plan.Stops {
		a.Stop(stopped.ID)
	}
	for _, stopped := range plan.Stops {
		if err := a.jobs.waitQuiet(ctx, stopped.ID); err != nil {
			return fmt.Errorf("%s: wait for the last requests of %s, which is stopped: %w", plan.Action.Name(), stopped.Name, err)
		}
	}
	return nil
}

// waitQuiet waits until a job that was stopped asks for no end of a pod any more.
func (r *registry) waitQuiet(ctx context.Context, id int) error {
	r.mu.Lock()
	quiet := r.jobs[id-1].quiet
	r.mu.Unlock()
	select {
	case <-quiet:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// withStopped adds to what kept a plan from being run which jobs it has stopped.
func withStopped(failed error, ran *plan.Ran) error {
	if len(ran.Stopped) == 0 {
		return failed
	}
	return fmt.Errorf("%w; stopped before that: %s", failed, strings.Join(ran.Stopped, ", "))
}
