package exit

import "github.com/kubectl-fathom/kubectl-fathom/explain/report"

// Outcome gathers what an exit code says.
type Outcome struct {
	Blocked   bool
	Undecided bool
}

// Note counts one answer in.
func (o *Outcome) Note(verdict report.Verdict, waits bool) {
	o.Blocked = o.Blocked || waits
	o.Undecided = o.Undecided || verdict == report.Unknown
}

// Err is the outcome as the error that gives the exit code.
func (o *Outcome) Err() error {
	switch {
	case o.Undecided:
		return ErrUndecided
	case o.Blocked:
		return ErrBlocked
	default:
		return nil
	}
}
