package explain

// attemptedFix is a fix while it is tried: the fix, what is done, and how it is
// ranked among the others.
type attemptedFix struct {
	Fix
	harm  int // orders fixes, the least first
	steps []remedy
}
