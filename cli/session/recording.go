package session

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// OpenRecording opens the recording that --from names: its cluster, in which nothing
// can be changed, and its steps.
func OpenRecording(ctx context.Context, from *source.Options, tuner *source.GCTuner) (*Cluster, *Recording, error) {
	r, step, err := from.OpenRecording()
	if err != nil {
		return nil, nil, err
	}
	running, stop := outliving(ctx)
	player, err := recording.Play(running, r, step, recording.PlayOptions{
		Read: source.ReadOptions(), Configuration: from.Configuration, PoolLabel: from.PoolLabel,
	})
	if err != nil {
		stop()
		return nil, nil, exit.Usagef("%w: use --step N to start at another step", err)
	}
	shown := &Cluster{
		Cluster: player.Cluster, next: player.Next, objects: func() objects { return player.Shown() }, tuner: tuner, stop: stop,
	}
	return shown, &Recording{player}, nil
}

// Recording is the steps of a recording as the dashboard counts them, from 1.
type Recording struct{ player *recording.Player }

var _ ui.Recording = (*Recording)(nil)

// Context is the name of the cluster that was recorded.
func (r *Recording) Context() string { return r.player.Shown().Info.Context }

// Go implements ui.Recording.
func (r *Recording) Go(ctx context.Context, step int) error { return r.player.Go(ctx, step-1) }

// Changes implements ui.Recording.
func (r *Recording) Changes(ctx context.Context, step int) (*model.Difference, error) {
	return r.player.Changes(ctx, step-1)
}

// Pending implements ui.Recording.
func (r *Recording) Pending(ctx context.Context, step int) (map[string]int, error) {
	return r.player.Pending(ctx, step-1)
}

// Past implements ui.Recording.
func (r *Recording) Past(step int, uid types.UID) func(context.Context) (*podhistory.History, error) {
	return r.player.Past(step-1, uid).Look
}
