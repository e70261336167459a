// Package ui is the dashboard: it draws snapshots and reports, and turns keys into
// actions. It does no I/O of its own.
package ui

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Cluster is what the dashboard needs from a cluster. Its methods are called
// from Cmds, never from Update or View.
type Cluster interface {
	page.Cluster
	// Next waits for a snapshot newer than the last one it returned.
	Next(ctx context.Context) (*model.Snapshot, error)
	// Describe is kubectl describe of the live object.
	Describe(ctx context.Context, ref model.Ref) (string, error)
	// YAML is the live object, without managed fields.
	YAML(ctx context.Context, ref model.Ref) (string, error)
	// Actor carries out actions; nil where the cluster is read-only.
	Actor() Actor
	// ShowUsage says whether any view shows usage now; metrics are polled only then.
	ShowUsage(on bool)
	// Retry asks the server again, now.
	Retry()
	// Close ends everything that was started for this cluster.
	Close()
}

// Session opens clusters: the contexts of the kubeconfig.
type Session interface {
	// Contexts lists them by name.
	Contexts() []model.Context
	// Open connects to one. It may ask on the terminal (exec credential plugins),
	// so the screen is released around it.
	Open(ctx context.Context, name string) (Cluster, error)
}

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
	// Followed notes in the activity what became of the pod that a change was a fix for.
	// It may write to a file.
	Followed(entry int, became string)
	// ReadOnly says why changes are not allowed; "" where they are. Raise allows them
	// where the context's setting forbids them.
	ReadOnly() string
	Raise() error
}
