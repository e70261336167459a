package act

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Why nothing can be changed, as the dashboard shows it after the name of a key.
const (
	readOnlyRun     = "read-only, set by --readonly for this session"
	readOnlyContext = "read-only for this context. :write asks to allow changes."
)

// ReadOnly says why nothing can be changed; "" where it can.
func (a *Actor) ReadOnly() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.Options.ReadOnly:
		return readOnlyRun
	case a.ReadOnlyContext && !a.raised:
		return readOnlyContext
	}
	return ""
}

// Raise lets changes through where a setting of the context forbids them. What
// was set for the whole run stays: the error is ErrReadOnly then.
func (a *Actor) Raise() error {
	if a.Options.ReadOnly {
		return fmt.Errorf("allow changes: %w", errReadOnlyRun)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.raised = true
	return nil
}

// errReadOnlyRun is ErrReadOnly with its origin.
var errReadOnlyRun = fmt.Errorf("%w, set by --readonly for this session", ErrReadOnly)

// mayRun rejects a plan while nothing can be changed.
func (a *Actor) mayRun(plan *plan.Plan) error {
	switch {
	case a.ReadOnly() == "":
		return nil
	case a.Options.ReadOnly:
		return fmt.Errorf("%s: %w", plan.Action.Name(), errReadOnlyRun)
	}
	return fmt.Errorf("%s: %w for this context", plan.Action.Name(), ErrReadOnly)
}
