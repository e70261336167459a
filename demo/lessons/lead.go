package lessons

import (
	"context"
	"fmt"
	"time"
)

// stepTimeout is how long a step that is skipped may take. The longest one waits for a
// node to become NotReady.
const stepTimeout = 45 * time.Second

// lead takes the steps before the one to go to: it answers their predictions and makes
// the changes that a student makes. A step that does not finish is recorded and left.
// The lock is held.
func (r *Run) lead(ctx context.Context) {
	if r.state.GoingTo == 0 {
		return
	}
	step := &r.lesson.Steps[r.state.Step]
	if step.Predict != nil && r.state.Answered == 0 {
		r.answered(step.Predict.Right)
		return
	}
	if !r.stepDone {
		r.stepDone = true
		r.perform(ctx, step)
		return
	}
	if !r.state.Ready {
		if r.clock.Since(r.startedAt[r.state.Step+1]) < stepTimeout {
			return
		}
		r.state.Unfinished = append(r.state.Unfinished, r.state.Step+1)
	}
	if err := r.next(ctx); err != nil {
		r.broken = err
	}
	if r.state.Step == r.state.GoingTo {
		r.state.GoingTo = 0
	}
}

// perform makes the changes that a student makes in a step.
func (r *Run) perform(ctx context.Context, step *Step) {
	for i := range step.Does {
		if _, err := step.Does[i].apply(ctx, r.cluster); err != nil {
			r.broken = fmt.Errorf("go to step %d: %w", r.state.GoingTo+1, err)
		}
	}
}
