package forecast

import (
	"context"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// mayBeMissing is which part of a Deployment's pods may be missing during its rolling update,
// rounded down, where its Deployment was not read: 25%, the default of maxUnavailable.
const mayBeMissing = 4

// MayMiss is how many of so many pods may be missing during a rolling update whose Deployment was not read.
func MayMiss(pods int) int { return pods / mayBeMissing }

// roll replaces a pod, as its controller does after a change of its template: a Deployment
// makes the new pod first and deletes an old one only while enough others are available;
// other controllers delete first, and go on only once the new one is placed.
func (p *simulation) roll(ctx context.Context, c *pendingPod) error {
	if p.left[c.ends.UID] { // preempted meanwhile
		return p.meet(ctx, c)
	}
	if c.when != early {
		if p.waitsForRolled() {
			p.kept[c] = true
			return nil
		}
		return p.makeRoom(c)
	}
	if err := p.meet(ctx, c); err != nil {
		return err
	}
	if p.placements[c].Node != "" {
		p.freed = p.freed || p.order%4 != 2 // pods that wait for it come before the next new one, unless they back off
		return p.leave(c.ends)
	}
	if !p.mayMiss() {
		p.kept[c] = true
		p.idle = slices.DeleteFunc(p.idle, func(other *pendingPod) bool { return other == c })
		return nil
	}
	return p.makeRoom(c)
}

// triesOld says whether an order tries the pod that a rolling update replaces, once the first new one
// has a node: with that one its topology spread constraints, or its affinity, may allow other nodes than
// before. Whether the scheduler tries it before its Deployment deletes it is not known: in every second
// order it does. In a large cluster that costs more than there is time for, but for the first.
func triesOld(p *simulation, placed *pendingPod) bool {
	f, t := p.forecast, p.forecast.trial
	return keepsOld(f) && p.order%2 == 0 && !p.oldTried && t.is(placed) && (f.size < scheduler.SampledFrom || p.order == 0)
}

// keepsOld says whether the pod of a trial is still there, as it is before the change, when the first new
// one has its node, and minds where that is.
func keepsOld(f *forecasting) bool {
	return f.trial != nil && f.trial.trial.Old != nil && MindsOthers(f.trial.trial.Old)
}

// tryOld notes whom that pod preempts.
func tryOld(ctx context.Context, p *simulation) error {
	p.oldTried = true
	budgets, err := budgetsNow(p)
	if err != nil {
		return err
	}
	firsts, err := preemptors(ctx, p.forecast, budgets, p.forecast.trial.trial.Old, nil, nil)
	if err == nil && len(firsts) > 0 {
		p.byOld = firsts[0].Victims().Pods
	}
	return err
}

// makeRoom deletes an old pod. Its successor is one of those that are tried then.
func (p *simulation) makeRoom(c *pendingPod) error {
	if !slices.Contains(p.idle, c) {
		p.idle = append(p.idle, c)
	}
	p.freed = true
	return p.leave(c.ends)
}

// letIn tries those that found no node, after an old pod has made room.
func (p *simulation) letIn(ctx context.Context) error {
	if !p.freed {
		return nil
	}
	p.freed = false
	_, err := p.again(ctx)
	return err
}

// waitsForRolled reports whether a new pod of the workload has no node.
func (p *simulation) waitsForRolled() bool {
	t := p.forecast.trial
	return slices.ContainsFunc(t.target, func(c *pendingPod) bool { return p.placements[c].Node == "" }) ||
		slices.ContainsFunc(t.replaced, func(c *pendingPod) bool { return p.left[c.ends.UID] && p.placements[c].Node == "" })
}

// mayMiss reports whether a Deployment may delete an old pod.
func (p *simulation) mayMiss() bool {
	t, available := p.forecast.trial, 0
	for _, c := range slices.Concat(t.target, t.replaced) {
		if p.placements[c].Node != "" {
			available++
		}
	}
	for _, c := range t.replaced {
		if !p.left[c.ends.UID] {
			available++
		}
	}
	all := len(t.target) + len(t.replaced)
	missing := MayMiss(all)
	if t.trial.Missing != nil {
		missing = *t.trial.Missing
	}
	return available > all-missing
}
