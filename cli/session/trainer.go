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
	for _, fault := range t.Available(lessons.Target(on)) {
		all = append(all, ui.Fault{Name: fault.Name, Says: fault.Says, Takes: string(fault.Takes), Has: fault.Has})
	}
	return all
}

// Active implements ui.Trainer.
func (t *training) Active() []ui.ActiveFault {
	var all []ui.ActiveFault
	for _, active := range t.Trainer.Active() {
		all = append(all, ui.ActiveFault(active))
	}
	return all
}

// Inject implements ui.Trainer.
func (t *training) Inject(ctx context.Context, name string, on ui.FaultTarget) error {
	return t.Trainer.Inject(ctx, name, lessons.Target(on))
}

// Reset implements ui.Trainer.
func (t *training) Reset(ctx context.Context, step int) (ui.Cluster, error) {
	return t.session.openAt(ctx, t.name, step)
}
