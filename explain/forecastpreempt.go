package explain

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// preempt finds out whether the pending pod, which fits nowhere, gets a node by
// preemption. Its victims leave, and their successors come later.
func (p *simulation) preempt(ctx context.Context, c *pendingPod, nowhere placement) (place, error) {
	defer p.asFor(c.pod)()
	if !p.posts.Has(names.DefaultPreemption) || !p.holdsBelow(corev1helpers.PodPriority(c.pod)) {
		return place{placement: nowhere}, nil
	}
	pod := asNewPod(c.pod)
	m, err := p.ask(ctx, pod)
	if err != nil {
		return place{}, err
	}
	d := p.diagnose(ctx, m, pod)
	if d.failure != "" || d.fits || p.stopsBefore(d) {
		return place{placement: nowhere}, nil
	}
	if ok, _ := p.preempts.PodEligibleToPreemptOthers(ctx, pod, nil); !ok {
		return place{placement: nowhere}, nil
	}
	tried, err := p.candidates(ctx, m, pod, d.fit.Diagnosis.NodeToStatus)
	switch {
	case ctx.Err() != nil:
		return place{}, ctx.Err()
	case err != nil && len(tried.found) == 0:
		return place{}, fmt.Errorf("dry run preemption: %w", err)
	case len(tried.found) == 0:
		return place{placement: nowhere}, nil
	}
	best := p.pick(p.rankCandidates(ctx, tried.found))
	found := place{placement: placement{node: best.Name()}}
	for _, victim := range slices.Clone(best.Victims().Pods) {
		found.preempts = append(found.preempts, plugins.FullName(victim))
		if err := p.oust(victim); err != nil {
			return place{}, err
		}
	}
	return found, nil
}

// pick is the candidate that the scheduler takes, by chance where several stand alike.
func (p *simulation) pick(ranked []rankedCandidate) *rankedCandidate {
	alike := 1
	for alike < len(ranked) && ranked[alike].standing.compare(ranked[0].standing) == 0 {
		alike++
	}
	if p.order == 0 {
		alike = 1
	}
	return &ranked[p.random.IntN(alike)]
}

// oust takes a victim off its node. One that came in this play looks for a node
// again; of others the successor does.
func (p *simulation) oust(victim *corev1.Pod) error {
	c := p.byUID[victim.UID]
	if err := p.scene.leave(victim); err != nil {
		return err
	}
	switch {
	case c != nil && c.ends == nil && controllerKind(c.pod) == "":
		delete(p.spots, c) // nobody makes it again
	case c != nil:
		delete(p.spots, c)
		p.idle = append(p.idle, c)
	case p.fateWithoutSuccessor(victim).Outcome == "":
		next := p.successor(victim)
		next.kind = &kindComing{comers: []*pendingPod{next}}
		p.byUID[next.pod.UID] = next
		p.idle = append(p.idle, next)
	}
	return nil
}
