package lessons

// Holds says whether an expression is true of the lesson's cluster now.
func (r *Run) Holds(text string) (bool, error) {
	program, err := compile(text, truth)
	if err != nil {
		return false, err
	}
	state, err := survey(r.world)
	if err != nil {
		return false, err
	}
	return holds(program, state)
}

// Settled says whether all faults have happened whose step has gone on.
func (r *Run) Settled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.lesson.Faults {
		_, counts := r.went[r.lesson.Faults[i].Step]
		if _, struck := r.struck[i]; counts && !struck {
			return false
		}
	}
	return true
}
