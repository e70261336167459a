package preemption

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// victimRank is what the scheduler orders victims by. Pods of one rank come in
// the order in which it has met them, which nobody else knows, and which victims
// a node has may depend on it.
type victimRank struct {
	priority int32
	start    int64
}

func rankOf(pod *corev1.Pod) victimRank {
	return victimRank{corev1helpers.PodPriority(pod), startOf(pod).Unix()}
}

// ordersMost is how many orders are tried on a node at most, and ordersTotal for
// a plan in a cluster of so many nodes: each copies what plugins know of all.
const ordersMost = 100

func ordersTotal(nodes int) int { return min(max(500_000/max(nodes, 1), 100), 2000) }

// explore tries the candidates again with their pods in other orders, and notes
// how they could stand and who could go then.
func (p *planning) explore(ctx context.Context) error {
	var open []int
	for i := range p.ranked {
		p.ranked[i].best, p.ranked[i].worst = p.ranked[i].standing, p.ranked[i].standing
		if p.leavesOpen(&p.ranked[i]) {
			open = append(open, i)
		}
	}
	left := ordersTotal(len(p.matrix.Nodes))
	for n, i := range open {
		orders := min(left/(len(open)-n), ordersMost)
		left -= orders
		if err := p.reorder(ctx, &p.ranked[i], orders); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// leavesOpen says whether pods of one rank are on the node of which some go, or
// which budgets protect.
func (p *planning) leavesOpen(c *rankedCandidate) bool {
	node, err := p.scheduler.State.NodeInfos().Get(c.Name())
	if err != nil {
		return false
	}
	count, matters := map[victimRank]int{}, map[victimRank]bool{}
	for _, info := range node.GetPods() {
		pod := info.GetPod()
		if corev1helpers.PodPriority(pod) >= corev1helpers.PodPriority(p.question.Pod) {
			continue
		}
		count[rankOf(pod)]++
		for _, budget := range p.tried.budgets {
			matters[rankOf(pod)] = matters[rankOf(pod)] || protects(budget, pod)
		}
	}
	for _, victim := range c.Victims().Pods {
		matters[rankOf(victim)] = true
	}
	for rank, n := range count {
		if n > 1 && matters[rank] {
			return true
		}
	}
	return false
}

// reorder tries one candidate with its pods in so many other orders.
func (p *planning) reorder(ctx context.Context, c *rankedCandidate, orders int) error {
	node, err := p.scheduler.State.NodeInfos().Get(c.Name())
	if err != nil {
		return fmt.Errorf("find node %s: %w", c.Name(), err)
	}
	random := rand.New(rand.NewPCG(1, 1)) // the same answer each time
	for order := range orders {
		shuffled, ok := node.Snapshot().(*framework.NodeInfo)
		if !ok {
			return nil
		}
		if order == 0 {
			slices.Reverse(shuffled.Pods)
		} else {
			random.Shuffle(len(shuffled.Pods), func(i, j int) { shuffled.Pods[i], shuffled.Pods[j] = shuffled.Pods[j], shuffled.Pods[i] })
		}
		found, _, err := p.profile.Preemption.Evaluator.DryRunPreemption(ctx, p.tried.state, p.question.Pod, []fwk.NodeInfo{shuffled}, p.tried.budgets, 0, 1)
		if err != nil {
			return fmt.Errorf("dry run preemption: %w", err)
		}
		for _, candidate := range found {
			c.note(candidate.Victims().Pods, standingOf(candidate.Victims()))
		}
	}
	return nil
}

// note widens what is known of how the candidate could stand.
func (c *rankedCandidate) note(victims []*corev1.Pod, s standing) {
	if s.compare(c.best) < 0 {
		c.best = s
	}
	if s.compare(c.worst) > 0 {
		c.worst = s
	}
	for _, pod := range victims {
		if !slices.Contains(c.others, pod) && !slices.Contains(c.Victims().Pods, pod) {
			c.others = append(c.others, pod)
		}
	}
}

// mayTake says of each of the candidates whether the scheduler may take it: it
// does if so many others as it looks at can stand behind it, or beside it.
func mayTake(all []rankedCandidate, wanted int) []bool {
	behind := make([]standing, len(all))
	for i := range all {
		behind[i] = all[i].worst
	}
	slices.SortFunc(behind, standing.compare)
	need := min(wanted, len(all))
	may := make([]bool, len(all))
	for i := range all {
		at, _ := slices.BinarySearchFunc(behind, all[i].best, standing.compare)
		may[i] = len(all)-at >= need // itself is among them
	}
	if len(all) > wanted { // it goes on until it has one that breaks nothing, if there is any
		kind := slices.ContainsFunc(all, func(c rankedCandidate) bool { return c.worst.broken == 0 })
		for i := range all {
			may[i] = may[i] && (!kind || all[i].best.broken == 0)
		}
	}
	return may
}
