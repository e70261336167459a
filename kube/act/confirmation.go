package act

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

type confirmationKey struct{}

// confirmation is what requests are sent for.
type confirmation struct {
	confirmed plan.Confirmed
	withdrawn func() bool // the user has stopped it since; nil: that cannot be
}

// withConfirmation lets requests of ctx pass the writing client until the user has
// withdrawn the confirmation; nil is never.
func withConfirmation(ctx context.Context, confirmed plan.Confirmed, withdrawn func() bool) context.Context {
	return context.WithValue(ctx, confirmationKey{}, confirmation{confirmed, withdrawn})
}

// Confirmation is the plan that a user confirmed and that the requests of ctx
// carry out; nil if nothing was confirmed, and once that was withdrawn. A client that
// writes rejects every request without one, also those that client-go
// sends again by itself.
func Confirmation(ctx context.Context) *plan.Plan {
	given, _ := ctx.Value(confirmationKey{}).(confirmation)
	if given.withdrawn != nil && given.withdrawn() {
		return nil
	}
	return given.confirmed.Plan()
}
