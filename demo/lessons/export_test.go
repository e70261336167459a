package lessons

// Holds says whether an expression is true of the lesson's cluster now.
func (r *Run) Holds(text string) (bool, error) {
	program, err := compile(text, boolResult)
	if err != nil {
		return false, err
	}
	state, err := observe(r.cluster)
	if err != nil {
		return false, err
	}
	return evalBool(program, state)
}

// Settled says whether all faults have happened whose step has gone on.
func (r *Run) Settled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.lesson.Faults {
		_, counts := r.startedAt[r.lesson.Faults[i].Step]
		if _, injected := r.activeFaults[i]; counts && !injected {
			return false
		}
	}
	return true
}
