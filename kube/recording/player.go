package recording

import (
	"context"
	"fmt"
	"sync"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// PlayOptions say how steps are read.
type PlayOptions struct {
	Read          snapshot.ReadOptions
	Configuration *scheduler.Configuration // of the scheduler, instead of the steps' own; nil is theirs
	PoolLabel     string                   // see cluster.Source
}

// Player shows a recording as a cluster that is at one step, and goes from one to
// another. Its methods are safe for several goroutines.
type Player struct {
	*cluster.Cluster
	recording *Recording
	options   PlayOptions

	mu    sync.Mutex
	file  *snapshot.File // of the step that is shown, or will be as soon as its rows are in
	step  int
	stale chan struct{} // of the newest source; nil once it is closed
	whole bool          // Next gave a snapshot that was read whole

	states map[int]*model.Snapshot // of the steps that were compared last
}

// Play shows a step, counted from 0. Its file is read before Play returns.
func Play(ctx context.Context, r *Recording, step int, options PlayOptions) (*Player, error) {
	p := &Player{recording: r, options: options}
	file, err := p.read(step)
	if err != nil {
		return nil, err
	}
	p.file, p.step = file, step
	source, err := p.source(ctx)
	if err != nil {
		return nil, err
	}
	p.Cluster, err = cluster.New(ctx, source, cluster.Options{Reopen: p.source})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", r.Path(step), err)
	}
	return p, nil
}

// read reads a step's file.
func (p *Player) read(step int) (*snapshot.File, error) {
	file, err := p.recording.Read(step, p.options.Read)
	if err == nil {
		scheduler.Emulate(file.Info.Version) // the first one decides
	}
	return file, err
}

// source serves the file of the step that is to be shown.
func (p *Player) source(context.Context) (*cluster.Source, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	source, err := p.file.Source()
	if err != nil {
		return nil, err
	}
	if p.options.Configuration != nil {
		source.Configuration = p.options.Configuration
	}
	source.PoolLabel = p.options.PoolLabel
	status := source.Status()
	status.Step, status.Steps = p.step+1, len(p.recording.Steps)
	source.Status = func() model.Status { return status }
	p.stale = make(chan struct{})
	source.Stale = p.stale
	return source, nil
}

// Go goes to a step, counted from 0: its snapshot comes out of Next soon after. On
// an error the step that was shown stays.
func (p *Player) Go(ctx context.Context, step int) error {
	if p.File(step) != nil {
		return nil
	}
	file, err := p.read(step)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.step = file, step
	if p.stale != nil {
		close(p.stale)
		p.stale = nil
	}
	return nil
}

// File is the one that is shown, if it is that of a step; else nil.
func (p *Player) File(step int) *snapshot.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step != step {
		return nil
	}
	return p.file
}

// Shown is the file of the step that is shown.
func (p *Player) Shown() *snapshot.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.file
}

// Next waits for the next snapshot. Between two steps there is none: the rows of
// one under the name of the other would tell what never was.
func (p *Player) Next(ctx context.Context) (*model.Snapshot, error) {
	for {
		s, err := p.Cluster.Next(ctx)
		if err != nil {
			return nil, err
		}
		if reading := len(s.Status.Reading) > 0; !reading || !p.whole {
			p.whole = p.whole || !reading
			return s, nil
		}
	}
}
