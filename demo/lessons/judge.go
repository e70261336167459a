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
	lists, err := r.world.Lists()
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.state
	before.Faults = slices.Clone(before.Faults)
	r.strike(ctx)
	if err == nil {
		state := map[string]any{"ended": r.world.Ended()}
		for _, name := range variables[:len(variables)-1] {
			state[name] = lists[name]
		}
		err = r.judge(state)
	}
	r.state.Trouble = ""
	if err != nil {
		r.state.Trouble = err.Error()
	}
	if !reflect.DeepEqual(before, r.state) {
		r.tell()
	}
}

// judge finds out where the lesson is. What was reached or spoilt stays so.
func (r *Run) judge(state map[string]any) error {
	open := r.lesson.Steps[r.state.Step].Predict != nil && r.state.Answered == 0
	ready := !open
	if r.until != nil && ready {
		is, err := holds(r.until, state)
		if err != nil {
			return err
		}
		ready = is
	}
	r.state.Ready = r.state.Ready || ready
	if r.now != nil {
		now, err := told(r.now, state)
		if err != nil {
			return err
		}
		r.state.Now = now
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

// strike lets the faults happen whose time has come.
func (r *Run) strike(ctx context.Context) {
	for r.struck < len(r.lesson.Faults) {
		fault := &r.lesson.Faults[r.struck]
		if r.clock.Since(r.begun) < fault.After.Duration {
			return
		}
		r.struck++
		if fault.Silence != "" {
			r.world.Silence(fault.Silence, true)
		}
		if fault.Restore != "" {
			r.world.Silence(fault.Restore, false)
		}
		if err := makeAll(ctx, r.world.Client(), fault.Objects); err != nil {
			r.state.Trouble = err.Error()
		}
		if fault.Says != "" {
			r.state.Faults = append(r.state.Faults, fault.Says)
		}
	}
}
