package session

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// OpenFile opens what a file holds. Nothing can be changed in it.
func OpenFile(ctx context.Context, from *source.Options, file *snapshot.File, tuner *source.GCTuner) (*Cluster, error) {
	running, stop := outliving(ctx)
	joined, err := from.JoinFile(running, file)
	if err != nil {
		stop()
		return nil, err
	}
	return &Cluster{Cluster: joined, objects: kept(file), tuner: tuner, stop: stop}, nil
}
