package forecast

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	dryrun "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pdb"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// preempt finds out whether the pending pod, which fits nowhere, gets a node by
// preemption. Its victims leave, and their successors come later.
func (p *simulation) preempt(ctx context.Context, c *pendingPod, nowhere placement.Placement) (place, error) {
	if c.class.steady(p.forecast.trial, c) {
		return place{Placement: nowhere}, nil
	}
	budgets, err := budgetsNow(p)
	if err != nil {
		return place{}, err
	}
	firsts, err := preemptors(ctx, p.forecast, budgets, c.pod, nil, shuffleFor(p, c.pod))
	switch {
	case err != nil:
		return place{}, err
	case len(firsts) == 0:
		return place{Placement: nowhere}, nil
	}
	best := p.pick(firsts)
	if keepsStatic(best) {
		return place{Placement: nowhere}, nil
	}
	found := place{Placement: placement.Placement{Node: best.Name()}}
	for _, victim := range slices.Clone(best.Victims().Pods) {
		found.preempts = append(found.preempts, plugins.FullName(victim))
		noteVictim(p, victim, c)
		if err := p.evictVictim(victim); err != nil {
			return place{}, err
		}
	}
	return found, nil
}

// keepsStatic says whether static pods are among those that preemption evicts: their kubelet keeps them running and
// creates their mirror pods again, so the pod finds no node.
func keepsStatic(c dryrun.Candidate) bool {
	return slices.ContainsFunc(c.Victims().Pods, model.IsMirror)
}

// shuffleFor puts equal pods of a node in an order of chance: the same one whenever the same pod is asked about
// and nobody has come or gone, however often other pods were asked about meanwhile. nil in the first order: in none.
func shuffleFor(p *simulation, pod *corev1.Pod) func(node string, n int, swap func(i, j int)) {
	if p.order == 0 {
		return nil
	}
	return func(node string, n int, swap func(i, j int)) {
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, plugins.FullName(pod), " ", node, " ", p.freedTimes, " ", len(p.arrived))
		rand.New(rand.NewPCG(h.Sum64(), uint64(p.order))).Shuffle(n, swap)
	}
}

// budgetsNow are the PodDisruptionBudgets as the scheduler finds them: pods of the plan that have
// begun to end have taken disruptions. Their replacements give these back once they are Ready, which
// nobody can foretell: in every second order they are as soon as they have a node. Whether their
// controller counts in time what a fix evicts is not known either: in every other pair of orders it
// does.
func budgetsNow(p *simulation) (*pdb.Budgets, error) {
	f := p.forecast
	if len(f.taken) == 0 || f.trial != nil && p.order%4 >= 2 {
		return f.budgets, nil
	}
	taken := map[types.NamespacedName]int32{}
	for uid, budgets := range f.taken {
		if !p.ended[uid] {
			continue
		}
		for _, budget := range budgets {
			taken[budget]++
		}
	}
	if p.order%2 == 1 {
		for c, at := range p.placements {
			if c.ends == nil || at.Node == "" {
				continue
			}
			for _, budget := range f.taken[c.ends.UID] {
				taken[budget]--
			}
		}
	}
	return f.budgets.After(taken)
}

// Preempts says whether a pod that fits nowhere would get a node by preemption in the present
// state, on another node than those of some pods.
func (s Simulator) Preempts(ctx context.Context, pod *corev1.Pod, but []types.UID) (preempts bool, err error) {
	err = s.Scheduler.Hold(ctx, nil, func() error {
		var nodes []string // nil: any
		if len(but) > 0 {
			if nodes = nodesWithout(s.Scheduler, but); len(nodes) == 0 {
				return nil
			}
		}
		firsts, err := preemptors(ctx, s.forecasting(plan.Hypothesis{}), s.Budgets, pod, nodes, nil)
		preempts = slices.ContainsFunc(firsts, func(c dryrun.Candidate) bool { return !keepsStatic(c) })
		return err
	})
	return preempts, failed(err)
}

// PreemptsOthers says whether a pod that fits nowhere might preempt in the present state pods that
// are not among those that are evicted for it, as it would while these are terminating.
func (s Simulator) PreemptsOthers(ctx context.Context, pod *corev1.Pod, evicted []types.UID) (preempts bool, err error) {
	err = s.Scheduler.Hold(ctx, nil, func() error {
		firsts, err := preemptors(ctx, s.forecasting(plan.Hypothesis{}), s.Budgets, pod, nil, nil)
		preempts = slices.ContainsFunc(firsts, func(c dryrun.Candidate) bool {
			return slices.ContainsFunc(c.Victims().Pods, func(v *corev1.Pod) bool { return !slices.Contains(evicted, v.UID) })
		})
		return err
	})
	return preempts, failed(err)
}

// nodesWithout are the names of all nodes but those of some pods.
func nodesWithout(s *scheduler.Scheduler, pods []types.UID) []string {
	without := map[string]bool{}
	for _, uid := range pods {
		if pod := s.State.Pods[uid]; pod != nil {
			without[pod.Spec.NodeName] = true
		}
	}
	var names []string
	for name := range s.State.Nodes {
		if !without[name] {
			names = append(names, name)
		}
	}
	return names
}

// preemptors are the first of the ways in which a pod that fits nowhere gets a node by
// preemption, on these nodes (nil: any); none: it gets none. shuffle puts equal pods of a node
// in another order; nil: in none.
func preemptors(ctx context.Context, f *forecasting, budgets *pdb.Budgets, pod *corev1.Pod, nodes []string, shuffle func(string, int, func(i, j int))) ([]dryrun.Candidate, error) {
	profile := f.scheduler.Profile(pod)
	simulator := preemption.Simulator{Profile: profile, Budgets: budgets, Shuffle: shuffle}
	if policy := pod.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		return nil, nil
	}
	if !profile.HasPostFilter(names.DefaultPreemption) || !f.scheduler.State.Priorities.Held(math.MinInt32, corev1helpers.PodPriority(pod)) {
		return nil, nil
	}
	pod = placement.AsNewPod(pod)
	m, err := profile.EvaluateNodes(ctx, pod, nodes...)
	if err != nil {
		return nil, err
	}
	d := m.Diagnose(ctx, pod)
	if d.Failure != "" || d.Fits || simulator.StopsBefore(d) {
		return nil, nil
	}
	if ok, _ := profile.Preemption.PodEligibleToPreemptOthers(ctx, pod, nil); !ok {
		return nil, nil
	}
	return simulator.Firsts(ctx, m, pod, d)
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
	p.early[victim.UID] = !p.ended[victim.UID]
	p.victims, p.left[victim.UID] = append(p.victims, victim), true
	p.freedTimes++
	if p.forecast.trial != nil && p.order%2 == 1 {
		p.freed = true // its replacement, and others, come at once; in the other orders later
	}
	if err := p.state.RemovePod(victim); err != nil {
		return err
	}
	switch {
	case c != nil && c.ends == nil && placement.ControllerKind(c.pod) == "":
		delete(p.placements, c) // nobody makes it again
	case c != nil:
		delete(p.placements, c)
		p.idle = append(p.idle, c)
	case slices.ContainsFunc(p.forecast.gone, func(pod *corev1.Pod) bool { return pod.UID == victim.UID }): // its successor comes anyway
	case p.forecast.fateWithoutSuccessor(victim).Outcome == "":
		next := p.forecast.successor(victim)
		next.class = &equivalenceClass{competitors: []*pendingPod{next}}
		p.byUID[next.pod.UID] = next
		p.idle = append(p.idle, next)
	}
	return nil
}
