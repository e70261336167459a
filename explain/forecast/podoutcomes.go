package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// sums are what became of a pending pod in the orders that were played.
type sums struct {
	landed    map[string]int  // by node, in how many orders
	preempted map[string]int  // the same where pods went for it
	tied      map[string]bool // all nodes that it was placed on, or had the same score there
	varies    bool            // those are not the same in all orders
	likely    bool
	victims   map[string][]string // by node, of the first order in which they went for it there
	others    bool                // others went for it in other orders
	waited    int
	why       string // of the first order in which it waited
	open      string
	blockers  map[*pendingPod]int // who was on a node of its room where it waited
}

// count adds what became of all pending pods in one simulation.
func (p *simulation) count() {
	for _, class := range p.forecast.classes {
		p.countClass(class)
	}
	for _, c := range p.forecast.competitors {
		at, played := p.placements[c]
		t := &c.sums
		switch {
		case !played && c.class.skips:
		case !played && p.givenUp:
			t.open = "no time left to simulate it"
		case at.Open:
			t.open = cmp.Or(at.Why, "required objects could not be read")
		case at.Node == "":
			t.waited++
			t.why = cmp.Or(t.why, at.Why)
			t.blockers = p.addBlockers(c, t.blockers)
		case len(at.preempts) > 0:
			t.preempted = plus(t.preempted, at.Node)
			t.preemptedBy(at)
		default:
			t.landed = plus(t.landed, at.Node)
			t.likely = t.likely || at.Likely
			t.addNodes(at.Placement)
		}
	}
}

// addNodes adds the nodes that one simulation chose from. They vary where another one had
// others: not all of them had the same score then.
func (t *sums) addNodes(at placement.Placement) {
	nodes := at.Tie
	if len(nodes) == 0 {
		nodes = []string{at.Node}
	}
	if t.tied == nil {
		t.tied = map[string]bool{}
	} else if len(t.tied) != len(nodes) {
		t.varies = true
	}
	for _, node := range nodes {
		t.varies = t.varies || len(t.tied) == len(nodes) && !t.tied[node]
		t.tied[node] = true
	}
}

// preemptedBy notes who went for a pod in one order.
func (t *sums) preemptedBy(at place) {
	victims := slices.Sorted(slices.Values(at.preempts))
	known, found := t.victims[at.Node]
	switch {
	case !found && t.victims == nil:
		t.victims = map[string][]string{at.Node: victims}
	case !found:
		t.victims[at.Node], t.others = victims, true
	case !slices.Equal(known, victims):
		t.others = true
	}
}

// countClass counts how many of the class found a node without preempting anybody.
func (p *simulation) countClass(class *equivalenceClass) {
	found := 0
	for _, c := range class.competitors {
		if at := p.placements[c]; at.Node != "" && len(at.preempts) == 0 {
			found++
			class.nodes = plus(class.nodes, at.Node)
		}
	}
	if p.order == 0 || found < class.least {
		class.least = found
	}
}

// addBlockers counts who came to a node that the pending pod would have fitted.
func (p *simulation) addBlockers(c *pendingPod, blockers map[*pendingPod]int) map[*pendingPod]int {
	for _, other := range p.forecast.competitors {
		if other == c || p.placements[other].Node == "" || !slices.Contains(c.class.room, p.placements[other].Node) {
			continue
		}
		if blockers == nil {
			blockers = map[*pendingPod]int{}
		}
		blockers[other]++
	}
	return blockers
}

// plus counts one more of the key.
func plus(counts map[string]int, key string) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	counts[key]++
	return counts
}

// most is the key that was counted most often, the first by name of equals.
func most(counts map[string]int) string {
	keys := slices.Sorted(maps.Keys(counts))
	return slices.MaxFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(b, a))
	})
}

// tellFates fills in what happens to the pods that are evicted.
func (f *forecasting) tellFates() {
	for _, c := range f.competitors {
		if c.ends == nil {
			continue
		}
		fate := c.fate()
		fate.Budget = f.told.Fates[c.ends.UID].Budget
		f.told.Fates[c.ends.UID] = fate
	}
}

// fate is what happens to the pod whose successor the pending pod is.
func (c *pendingPod) fate() plan.Fate {
	t := &c.sums
	found := len(t.landed) + len(t.preempted)
	first := c.mayComeFirst()
	switch {
	case t.open != "":
		return plan.Fate{Outcome: plan.NotKnown, Why: t.open}
	case found == 0 && first != "" && len(c.class.room) > 0:
		return plan.Fate{Outcome: plan.Depends, Why: madeAfter(first)}
	case found == 0:
		return plan.Fate{Outcome: plan.Waits, Why: c.whyWaits()}
	case t.waited > 0:
		return plan.Fate{Outcome: plan.Depends, Why: c.whyDepends()}
	case c.unless != "":
		return plan.Fate{Outcome: plan.Depends, Why: fmt.Sprintf("its StatefulSet creates it only once %s is Ready", c.unless)}
	case len(t.preempted) > 0:
		node := most(t.preempted)
		return plan.Fate{Outcome: plan.Preempts, Node: node, Likely: t.others || len(t.landed) > 0, Why: "evicts " + grammar.List(t.victims[node], grammar.Few)}
	}
	fate := plan.Fate{Outcome: plan.Lands, Node: most(t.landed), Likely: t.likely}
	switch nodes := slices.Sorted(maps.Keys(t.tied)); {
	case len(nodes) < 2:
	case t.varies:
		fate.Varies = nodes
	default:
		fate.Tie = nodes
	}
	return fate
}

// whyWaits says why no order gives it a node.
func (c *pendingPod) whyWaits() string {
	if blocker := c.blocker(); blocker != nil && len(c.class.room) > 0 {
		return blocker.words() + " takes the capacity"
	}
	return c.sums.why
}

// whyDepends says which pod takes its node where it stays pending.
func (c *pendingPod) whyDepends() string {
	blocker := c.blocker()
	switch {
	case blocker == nil && c.mayComeFirst() != "":
		return madeAfter(c.mayComeFirst())
	case blocker == nil:
		return "depends on the order in which the pods are recreated"
	}
	return blocker.words() + " may take the capacity first"
}

// madeAfter says on whom it depends whether a pod of an ordered StatefulSet is
// made: one that may still run then, or may have gone and found no node.
func madeAfter(first string) string {
	return fmt.Sprintf("its StatefulSet creates it only once %s is Ready, if that is evicted first", first)
}

// blocker is who was most often where the pending pod would have fitted.
func (c *pendingPod) blocker() *pendingPod {
	var first *pendingPod
	for other, n := range c.sums.blockers {
		if first == nil || n > c.sums.blockers[first] || n == c.sums.blockers[first] && plugins.FullName(other.pod) < plugins.FullName(first.pod) {
			first = other
		}
	}
	return first
}

// words name the pending pod.
func (c *pendingPod) words() string {
	if c.ends != nil {
		return plugins.FullName(c.ends)
	}
	if owner := model.NewPod(c.pod).Owner.Name; owner != "" {
		return "a pending " + owner + " pod"
	}
	return "the pending pod " + c.pod.Name
}
