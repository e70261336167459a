package cli

import (
	"context"
	"os"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// runRecording shows the recording that --from names.
func (d *dashing) runRecording(ctx context.Context, settings settings.Settings) error {
	saving := newThrift(os.Getenv)
	r, step, err := d.openRecording()
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	player, err := recording.Play(running, r, step, recording.PlayOptions{Read: readOptions(), Configuration: d.configuration, PoolLabel: d.poolLabel})
	if err != nil {
		return exit.Usagef("%w; --step N begins with another step", err)
	}
	shown := &played{Player: player, thrift: saving, stop: stop}
	return d.show(ctx, ui.Options{
		Cluster: shown, Recording: shown, Context: player.Shown().Info.Context,
		Namespace: d.scope.namespace, Selector: d.scope.selector,
	}, settings)
}

// played is a recording as the dashboard needs a cluster.
type played struct {
	*recording.Player
	thrift *thrift
	stop   context.CancelFunc
}

var (
	_ ui.Cluster   = (*played)(nil)
	_ ui.Recording = (*played)(nil)
)

// Next implements ui.Cluster.
func (p *played) Next(ctx context.Context) (*model.Snapshot, error) {
	s, err := p.Player.Next(ctx)
	if err == nil {
		p.thrift.note(s)
	}
	return s, err
}

// Go implements ui.Recording.
func (p *played) Go(ctx context.Context, step int) error {
	return p.Player.Go(ctx, step-1)
}

// Changes implements ui.Recording.
func (p *played) Changes(ctx context.Context, step int) (*model.Difference, error) {
	return p.Player.Changes(ctx, step-1)
}

// Past implements ui.Recording.
func (p *played) Past(step int, uid types.UID) func(context.Context) (*report.History, error) {
	return p.Player.Past(step-1, uid).Look
}

// Describe implements ui.Cluster.
func (p *played) Describe(ctx context.Context, ref model.Ref) (string, error) {
	return p.Shown().Describe(ctx, ref)
}

// YAML implements ui.Cluster.
func (p *played) YAML(ctx context.Context, ref model.Ref) (string, error) {
	return p.Shown().YAML(ctx, ref)
}

// Events implements ui.Cluster.
func (p *played) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return p.Shown().Events(ctx, ref)
}

// Actor implements ui.Cluster: nothing can be changed in a recording.
func (p *played) Actor() ui.Actor { return nil }

// Retry implements ui.Cluster.
func (p *played) Retry() {}

// Close implements ui.Cluster.
func (p *played) Close() {
	p.stop()
	p.Player.Close()
}
