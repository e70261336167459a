package placement

import (
	"context"
	"fmt"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Filling is where equal pods, which do not exist, were placed in a simulated state.
type Filling struct {
	Nodes   []string             // of the pods, in their order
	Stopped bool                 // the next one fits no node
	Why     string               // why it fits none, in short words
	Chance  bool                 // their nodes decide how many fit, and kube-scheduler may take others
	Unknown []report.UnknownPart // why no more were placed, where that could not be decided

	bound bool // the last one got volumes, or a capacity for them, that the next one may not get
}

// Fill places equal pods one after another in a simulated state: each is filtered and
// scored by the scheduler's plugins with those before it on their nodes, and goes where it
// ranks first. Devices that its ResourceClaims get there are not free for the next.
func Fill(ctx context.Context, s *scheduler.Scheduler, on *scheduler.SimulatedState, of Template, wanted int) (*Filling, error) {
	f, begun := &Filling{}, time.Now()
	for len(f.Nodes) < wanted && !f.Stopped && len(f.Unknown) == 0 {
		if f.bound {
			f.leaveOpen("persistentvolumes", "which volumes are left for further pods is not simulated")
			break
		}
		if time.Since(begun) > placingTime {
			f.leaveOpen("nodes", fmt.Sprintf("stopped after %d s", int(placingTime.Seconds())))
			break
		}
		if err := s.Hold(ctx, on, func() error { return f.place(ctx, s, on, of) }); err != nil {
			return nil, fmt.Errorf("place replicas of %s: %w", plugins.FullName(of.Pod), err)
		}
	}
	return f, nil
}

// place places one pod more.
func (f *Filling) place(ctx context.Context, s *scheduler.Scheduler, on *scheduler.SimulatedState, of Template) error {
	next, err := of.replica(on, len(f.Nodes))
	if err != nil {
		return err
	}
	p := s.Profile(next)
	t, err := s.FittingNodes(ctx, next, nil)
	switch {
	case err != nil:
		return err
	case t.Open:
		f.Unknown = t.Matrix.Unknown()
		return nil
	case len(t.Names) == 0:
		f.Stopped = true
		f.Why, err = Why(ctx, s, AsNewPod(next), nil)
		return err
	}
	ranked, err := p.Prioritize(ctx, t.State, next, t.Nodes)
	if err != nil {
		return err
	}
	if PlaceMatters(p, next) {
		sampled := p.Sample(t.Matrix.Included()) < len(t.Nodes)
		f.Chance = f.Chance || sampled || len(ranked.Unread) > 0 || len(ranked.Nodes) > 1 && ranked.Nodes[1].Tied
	}
	node := ranked.Nodes[0].Node
	if MakesClaims(of.Pod) {
		if f.bound, err = t.BindsVolumes(next, node, len(f.Nodes)+1); err != nil {
			return err
		}
	}
	if _, err := on.Place(ctx, t, next, node); err != nil {
		return err
	}
	f.Nodes = append(f.Nodes, node)
	return nil
}

// leaveOpen notes why it is not known whether more pods fit.
func (f *Filling) leaveOpen(resource, why string) {
	f.Unknown = append(f.Unknown, report.UnknownPart{Resource: resource, Why: why, Plugins: []string{}})
}
