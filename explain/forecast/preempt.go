package forecast

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	dryrun "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
)

// preempt finds out whether the pending pod, which fits nowhere, gets a node by
// preemption. Its victims leave, and their successors come later.
func (p *simulation) preempt(ctx context.Context, c *pendingPod, nowhere placement.Placement) (place, error) {
	profile := p.forecast.scheduler.Profile(c.pod)
	simulator := preemption.Simulator{Profile: profile, Budgets: p.forecast.budgets}
	if !profile.HasPostFilter(names.DefaultPreemption) || !p.forecast.scheduler.State.HoldsBelow(corev1helpers.PodPriority(c.pod)) {
		return place{Placement: nowhere}, nil
	}
	pod := placement.AsNewPod(c.pod)
	m, err := profile.Evaluate(ctx, pod)
	if err != nil {
		return place{}, err
	}
	d := m.Diagnose(ctx, pod)
	if d.Failure != "" || d.Fits || simulator.StopsBefore(d) {
		return place{Placement: nowhere}, nil
	}
	if ok, _ := profile.Preemption.PodEligibleToPreemptOthers(ctx, pod, nil); !ok {
		return place{Placement: nowhere}, nil
	}
	firsts, err := simulator.Firsts(ctx, m, pod, d)
	switch {
	case err != nil:
		return place{}, err
	case len(firsts) == 0:
		return place{Placement: nowhere}, nil
	}
	best := p.pick(firsts)
	found := place{Placement: placement.Placement{Node: best.Name()}}
	for _, victim := range slices.Clone(best.Victims().Pods) {
		found.preempts = append(found.preempts, plugins.FullName(victim))
		if err := p.evictVictim(victim); err != nil {
			return place{}, err
		}
	}
	return found, nil
}

// pick is the candidate that the scheduler takes, by chance where several stand alike.
func (p *simulation) pick(firsts []dryrun.Candidate) dryrun.Candidate {
	alike := len(firsts)
	if p.order == 0 {
		alike = 1
	}
	return firsts[p.random.IntN(alike)]
}

// evictVictim takes a victim off its node. One that came in this play looks for a node
// again; of others the successor does.
func (p *simulation) evictVictim(victim *corev1.Pod) error {
	c := p.byUID[victim.UID]
	if err := p.state.RemovePod(victim); err != nil {
		return err
	}
	switch {
	case c != nil && c.ends == nil && placement.ControllerKind(c.pod) == "":
		delete(p.placements, c) // nobody makes it again
	case c != nil:
		delete(p.placements, c)
		p.idle = append(p.idle, c)
	case p.forecast.fateWithoutSuccessor(victim).Outcome == "":
		next := p.forecast.successor(victim)
		next.kind = &equivalenceClass{competitors: []*pendingPod{next}}
		p.byUID[next.pod.UID] = next
		p.idle = append(p.idle, next)
	}
	return nil
}
