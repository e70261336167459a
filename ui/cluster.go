// Package ui is the dashboard: it draws snapshots and reports, and turns keys
// into wishes. It does no I/O of its own.
package ui

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Cluster is what the dashboard needs from a cluster. Its methods are called
// from Cmds, never from Update or View.
type Cluster interface {
	// Next waits for a snapshot newer than the one it gave out last.
	Next(ctx context.Context) (*model.Snapshot, error)
	// Ask says why the pod waits, or where it runs, with the parts that are wanted: an
	// answer for each node, the scheduling cycle, what preemption could do, fixes.
	Ask(ctx context.Context, q report.Query) (*report.Report, error)
	// OnNode says of each of some pods that have no node what the plugins have
	// against one node.
	OnNode(ctx context.Context, uids []types.UID, node string) ([]report.NodeAnswer, error)
	// Evictions says for each of some pods of a node what would become of it if
	// it alone were evicted, and whether the pod of that uid would then fit.
	Evictions(ctx context.Context, uid types.UID, node string, pods []types.UID) ([]report.Eviction, error)
	// Describe is kubectl describe of the live object.
	Describe(ctx context.Context, ref model.Ref) (string, error)
	// YAML is the live object, without managed fields.
	YAML(ctx context.Context, ref model.Ref) (string, error)
	// Events are those about the object, newest first.
	Events(ctx context.Context, ref model.Ref) ([]model.Event, error)
	// Actor carries out wishes; nil where the cluster can only be looked at.
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
