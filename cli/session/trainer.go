package session

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// training is a trainer of the embedded cluster, as the dashboard needs one.
type training struct {
	*lessons.Trainer
	session *Demo
	name    string // of what was opened
}

var _ ui.Trainer = (*training)(nil)

// Faults implements ui.Trainer.
func (t *training) Faults(on lesson.FaultTarget) []lesson.Fault {
	var all []lesson.Fault
	for _, fault := range t.Available(lessons.Target(on)) {
		all = append(all, lesson.Fault{Name: fault.Name, Says: fault.Says, Takes: string(fault.Takes), Has: fault.Has})
	}
	return all
}

// Active implements ui.Trainer.
func (t *training) Active() []lesson.ActiveFault {
	var all []lesson.ActiveFault
	for _, active := range t.Trainer.Active() {
		all = append(all, lesson.ActiveFault(active))
	}
	return all
}

// Inject implements ui.Trainer.
func (t *training) Inject(ctx context.Context, name string, on lesson.FaultTarget) error {
	return t.Trainer.Inject(ctx, name, lessons.Target(on))
}

// Reset implements ui.Trainer.
func (t *training) Reset(ctx context.Context, step int) (ui.Cluster, error) {
	return t.session.openAt(ctx, t.name, step)
}
