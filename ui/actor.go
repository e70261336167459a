package ui

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Actor carries out wishes on a cluster. Plan, Run and Rights talk to the API
// server and are called from Cmds; the others answer at once.
type Actor interface {
	// Plan says what a wish would do. Nothing is changed.
	Plan(ctx context.Context, action plan.Action) (*plan.Plan, error)
	// Run does what was confirmed. A job that it begins goes on by itself.
	Run(ctx context.Context, confirmed plan.Confirmed) (*plan.Ran, error)
	// Rights says for each right whether the user has it.
	Rights(ctx context.Context, rights []model.Right) (map[model.Right]model.Permission, error)
	// Jobs are those of this run, the newest first.
	Jobs() []*plan.Progress
	// NextJobs waits until a job is not as it was at that revision.
	NextJobs(ctx context.Context, revision int) ([]*plan.Progress, int, error)
	// Pause keeps a job from asking for more, or lets it go on.
	Pause(job int, on bool)
	// Stop ends a job: what was asked goes on, nothing more is asked.
	Stop(job int)
	// Activity is what was done, the newest first; earlier runs' entries have no undo.
	Activity() []plan.Entry
	// ReadOnly says why nothing can be changed; "" where it can. Raise lifts it
	// where it is a setting of the context.
	ReadOnly() string
	Raise() error
}
