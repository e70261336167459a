package ui

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Actor carries out actions on a cluster. Plan, Run and Rights talk to the API
// server and are called from Cmds; the others answer at once.
type Actor interface {
	// Plan plans an action. Nothing is changed.
	Plan(ctx context.Context, action plan.Action) (*plan.Plan, error)
	// Run carries out a confirmed plan. A job that it begins continues by itself.
	Run(ctx context.Context, confirmed plan.Confirmed) (*plan.Ran, error)
	// Rights says for each right whether the user has it.
	Rights(ctx context.Context, rights []model.Right) (map[model.Right]model.Permission, error)
	// Jobs are those of this run, the newest first.
	Jobs() []*plan.Progress
	// NextJobs waits until a job has changed since that revision.
	NextJobs(ctx context.Context, revision int) ([]*plan.Progress, int, error)
	// Pause pauses a job, or resumes it.
	Pause(job int, on bool)
	// Stop ends a job: accepted evictions continue, no more are sent.
	Stop(job int)
	// Activity are the changes, the newest first; those of earlier sessions have no undo.
	Activity() []plan.Entry
	// ReadOnly says why changes are not allowed; "" where they are. Raise allows them
	// where the context's setting forbids them.
	ReadOnly() string
	Raise() error
}
