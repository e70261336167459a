package forecast

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// PreemptionCache remembers which pending pods could preempt already, and were only not tried again by
// the scheduler: any event may have it do so. It lasts while nothing changes that bears on which nodes
// fit (see scheduler.State.Moved), and is read and written while the scheduler is held.
type PreemptionCache struct {
	moved int64
	known map[string]bool // by the key of the class
}

// knows gives what is known of a class since the state moved last.
func (a *PreemptionCache) knows(moved int64, key string) (able, known bool) {
	if a.moved != moved || a.known == nil {
		a.moved, a.known = moved, map[string]bool{}
	}
	able, known = a.known[key]
	return able, known
}

// couldPreempt reports whether a class of pods that wait could preempt in the present state. In
// a large cluster that costs more than there is time for, and counts as no. Pods that are
// nominated have preempted: they wait for their victims to end.
func couldPreempt(ctx context.Context, f *forecasting, class *equivalenceClass) (able bool, err error) {
	if f.able == nil || f.size >= scheduler.SampledFrom || class.now || class.pod().Status.NominatedNodeName != "" {
		return false, nil
	}
	err = f.scheduler.Hold(ctx, nil, func() error {
		known := false
		if able, known = f.able.knows(f.scheduler.State.Moved(), class.key); known {
			return nil
		}
		firsts, err := preemptors(ctx, f, f.budgets, class.pod(), nil, nil)
		if err == nil {
			able = len(firsts) > 0
			f.able.known[class.key] = able
		}
		return err
	})
	return able, err
}
