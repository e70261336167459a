package lessons

import (
	"context"
	"reflect"
	"slices"
)

// watch judges the state again and again, and lets faults happen, until ctx ends.
func (r *Run) watch(ctx context.Context) {
	ticker := r.clock.NewTicker(every)
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

// look judges the state once.
func (r *Run) look(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.state
	before.Faults, before.Short = slices.Clone(before.Faults), slices.Clone(before.Short)
	r.supply(ctx)
	r.strike(ctx)
	state, err := survey(r.world) // under the lock: a state from before a step is none of it
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
		r.tell()
	}
}

// supply makes the objects that were kept until the answer; under the lock.
func (r *Run) supply(ctx context.Context) {
	if r.owed == nil || r.state.Answered == 0 {
		return
	}
	if err := makeAll(ctx, r.world.Client(), r.owed); err != nil {
		r.broken = err
	}
	r.owed = nil
}

// judge finds out where the lesson is. What was reached or spoilt stays so.
func (r *Run) judge(state map[string]any) error {
	open := r.lesson.Steps[r.state.Step].Predict != nil && r.state.Answered == 0
	if err := r.measure(state, open); err != nil {
		return err
	}
	if r.spoilt != nil && !r.state.Reached {
		is, err := holds(r.spoilt, state)
		if err != nil {
			return err
		}
		r.state.Spoilt = r.state.Spoilt || is
	}
	last := r.state.Step == len(r.lesson.Steps)-1
	if !last || open || r.state.Spoilt {
		return nil
	}
	is, err := holds(r.goal, state)
	r.state.Reached = r.state.Reached || is
	return err
}

// measure finds out whether the step is done, and how far the goal is.
func (r *Run) measure(state map[string]any, open bool) (err error) {
	ready := !open
	if r.until != nil && ready {
		if ready, err = holds(r.until, state); err != nil {
			return err
		}
	}
	r.state.Ready = r.state.Ready || ready
	if r.now != nil {
		now, err := told(r.now, state)
		if err != nil {
			return err
		}
		r.state.Now = now
	}
	return nil
}
