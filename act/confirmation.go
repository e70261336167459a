package act

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

type confirmationKey struct{}

// withConfirmation lets requests of ctx pass the writing client.
func withConfirmation(ctx context.Context, confirmed model.Confirmed) context.Context {
	return context.WithValue(ctx, confirmationKey{}, confirmed)
}

// Confirmation is the plan that a user confirmed and that the requests of ctx
// carry out; nil where nobody confirmed anything. A client that writes refuses
// every request without one.
func Confirmation(ctx context.Context) *model.Plan {
	confirmed, _ := ctx.Value(confirmationKey{}).(model.Confirmed)
	return confirmed.Plan()
}
