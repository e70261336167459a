package act

import (
	"context"
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// halt stops the jobs that the plan stops and waits until none of their evictions is
// in flight, so that they cannot work against what the plan changes. If another job
// has started meanwhile that the plan would have to stop, the error is ErrChanged, and
// nothing is stopped.
func (a *Actor) halt(ctx context.Context, plan *plan.Plan) error {
	if begun := plan.Unstopped(a.Jobs()); begun != nil {
		return fmt.Errorf("%s %w: %s has started", plan.Action.Name(), ErrChanged, begun.Name)
	}
	for _, stopped := range plan.Stops {
		a.Stop(stopped.ID)
	}
	for _, stopped := range plan.Stops {
		if err := a.jobs.waitQuiet(ctx, stopped.ID); err != nil {
			return fmt.Errorf("%s: wait for the last requests of the stopped %s: %w", plan.Action.Name(), stopped.Name, err)
		}
	}
	return nil
}

// waitQuiet waits until a stopped job requests no more evictions.
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

// withStopped adds to an error which jobs the plan has stopped.
func withStopped(failed error, ran *plan.Ran) error {
	if len(ran.Stopped) == 0 {
		return failed
	}
	return fmt.Errorf("%w; stopped before that: %s", failed, strings.Join(ran.Stopped, ", "))
}
