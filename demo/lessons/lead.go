package lessons

import (
	"context"
	"fmt"
	"time"
)

// leadsFor is how long a step that is left out may take to come to its end. The
// longest waits for a silent node.
const leadsFor = 45 * time.Second

// lead takes the steps before the one that is gone to: their answers are given,
// and what a student does in them is done; under the lock. A step that does not
// come to its end is noted and left.
func (r *Run) lead(ctx context.Context) {
	if r.state.Heading == 0 {
		return
	}
	step := &r.lesson.Steps[r.state.Step]
	if step.Predict != nil && r.state.Answered == 0 {
		r.answered(step.Predict.Right)
		return
	}
	if !r.done {
		r.done = true
		r.doFor(ctx, step)
		return
	}
	if !r.state.Ready {
		if r.clock.Since(r.went[r.state.Step+1]) < leadsFor {
			return
		}
		r.state.Short = append(r.state.Short, r.state.Step+1)
	}
	if err := r.next(ctx); err != nil {
		r.broken = err
	}
	if r.state.Step == r.state.Heading {
		r.state.Heading = 0
	}
}

// doFor does what a student does in a step.
func (r *Run) doFor(ctx context.Context, step *Step) {
	for i := range step.Does {
		if _, err := step.Does[i].bring(ctx, r.world); err != nil {
			r.broken = fmt.Errorf("go to step %d: %w", r.state.Heading+1, err)
		}
	}
}
