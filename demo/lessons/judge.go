package lessons

import (
	"context"
	"reflect"
	"slices"
)

// watch evaluates the lesson periodically and injects due faults, until ctx ends.
func (r *Run) watch(ctx context.Context) {
	ticker := r.clock.NewTicker(evaluateEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
			r.look(ctx)
		}
	}
}

// look evaluates the lesson once.
func (r *Run) look(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.state
	before.Faults, before.Unfinished = slices.Clone(before.Faults), slices.Clone(before.Unfinished)
	r.supply(ctx)
	r.injectDue(ctx)
	state, err := observe(r.cluster) // under the lock: a state from before a step must not count for it
	if err == nil {
		err = r.judge(state)
	}
	r.lead(ctx)
	r.state.Trouble = ""
	if err == nil {
		err = r.broken
	}
	if err != nil {
		r.state.Trouble = err.Error()
	}
	if !reflect.DeepEqual(before, r.state) {
		r.notify()
	}
}

// supply creates the objects that had to wait for the answer. The lock is held.
func (r *Run) supply(ctx context.Context) {
	if r.pendingObjects == nil || r.state.Answered == 0 {
		return
	}
	if err := createAll(ctx, r.cluster.Client(), r.pendingObjects); err != nil {
		r.broken = err
	}
	r.pendingObjects = nil
}

// judge evaluates whether the goal is reached or the lesson has failed; both are final.
func (r *Run) judge(state map[string]any) error {
	open := r.lesson.Steps[r.state.Step].Predict != nil && r.state.Answered == 0
	if err := r.measure(state, open); err != nil {
		return err
	}
	if r.failed != nil && !r.state.Reached {
		is, err := evalBool(r.failed, state)
		if err != nil {
			return err
		}
		r.state.Failed = r.state.Failed || is
	}
	last := r.state.Step == len(r.lesson.Steps)-1
	if !last || open || r.state.Failed {
		return nil
	}
	is, err := evalBool(r.goal, state)
	r.state.Reached = r.state.Reached || is
	return err
}

// measure evaluates whether the step is done, and the progress towards the goal.
func (r *Run) measure(state map[string]any, open bool) (err error) {
	ready := !open
	if r.until != nil && ready {
		if ready, err = evalBool(r.until, state); err != nil {
			return err
		}
	}
	r.state.Ready = r.state.Ready || ready
	if r.now != nil {
		now, err := evalText(r.now, state)
		if err != nil {
			return err
		}
		r.state.Now = now
	}
	return nil
}
