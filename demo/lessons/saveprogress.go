package lessons

import "context"

// Follow records the progress of a lesson until ctx ends. It reports each error once
// to tell; the lesson continues in any case.
func (b *Book) Follow(ctx context.Context, run *Run, tell func(error)) {
	told := ""
	note := func(change func(*Record)) {
		err := b.note(run.lesson.Name, change)
		if err != nil && err.Error() != told {
			told = err.Error()
			tell(err)
		}
	}
	state, changed := run.State()
	if !state.Led {
		note(func(r *Record) {
			r.Begun = b.clock.Now().UTC()
			r.Times++
			r.keep(&state, b)
		})
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		var next State
		if next, changed = run.State(); next.counts() != state.counts() {
			note(func(r *Record) { r.keep(&next, b) })
		}
		state = next
	}
}

// tally is the part of a state that is recorded.
type tally struct {
	asked, right, hints int
	reached             bool
}

func (s *State) counts() tally { return tally{s.Asked, s.Right, s.HintsGiven, s.Reached} }

// keep records a state. If an instructor helped, it records only that the goal was reached
// that way.
func (r *Record) keep(s *State, b *Book) {
	if s.Led {
		if s.Reached && r.Led.IsZero() {
			r.Led = b.clock.Now().UTC()
		}
		return
	}
	now := Result{s.Asked, s.Right, s.HintsGiven}
	switch {
	case r.Reached.IsZero():
		r.Result = now
		if s.Reached {
			r.Reached = b.clock.Now().UTC()
		}
	case !s.Reached:
		r.Again = &Again{r.Begun, now}
	default:
		r.Again = nil
		if now.better(r.Result) {
			r.Result = now
		}
	}
}
