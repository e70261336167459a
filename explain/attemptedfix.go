package explain

import "github.com/kubectl-fathom/kubectl-fathom/explain/report"

// attemptedFix is a fix while it is tried: the fix, what is done, and how it is
// ranked among the others.
type attemptedFix struct {
	report.Fix
	harm  int // orders fixes, the least first
	steps []remedy
}
