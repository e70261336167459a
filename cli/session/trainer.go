package session

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// training is a trainer of the embedded cluster, as the dashboard needs one.
type training struct {
	*lessons.Trainer
	session *Demo
	name    string // of what was opened
}

var _ ui.Trainer = (*training)(nil)

// Faults implements ui.Trainer.
func (t *training) Faults(on ui.FaultTarget) []ui.Fault {
	var all []ui.Fault
	for _, offer := range t.Offers(lessons.Target(on)) {
		all = append(all, ui.Fault{Name: offer.Name, Says: offer.Says, Takes: string(offer.Takes), Has: offer.Has})
	}
	return all
}

// Troubles implements ui.Trainer.
func (t *training) Troubles() []ui.Trouble {
	var all []ui.Trouble
	for _, trouble := range t.Trainer.Troubles() {
		all = append(all, ui.Trouble(trouble))
	}
	return all
}

// Strike implements ui.Trainer.
func (t *training) Strike(ctx context.Context, name string, on ui.FaultTarget) error {
	return t.Trainer.Strike(ctx, name, lessons.Target(on))
}

// Again implements ui.Trainer.
func (t *training) Again(ctx context.Context, step int) (ui.Cluster, error) {
	return t.session.openAt(ctx, t.name, step)
}
