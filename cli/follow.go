package cli

import (
	"context"
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// follow tells that a plan was run, and what takes it back.
func (c *changing) follow(_ context.Context, plan *model.Plan, _ *model.Ran) error {
	_, err := fmt.Fprintf(c.stdout, "Done: %s. %s\n", model.Clean(plan.Action.Name()), plan.UndoSays)
	return err
}
