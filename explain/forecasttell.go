package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// sums are what became of a pending pod in the orders that were played.
type sums struct {
	landed    map[string]int // by node, in how many orders
	preempted map[string]int // the same where pods went for it
	tied      map[string]bool
	likely    bool
	victims   []string
	waited    int
	why       string // of the first order in which it waited
	open      string
	blockers  map[*pendingPod]int // who was on a node of its room where it waited
}

// count adds what became of all pending pods in one simulation.
func (p *simulation) count() {
	for _, kind := range p.kinds {
		p.countKind(kind)
	}
	for _, c := range p.comers {
		at, played := p.spots[c]
		t := &c.sums
		switch {
		case !played && c.kind.skips:
		case !played && p.givenUp:
			t.open = "there was no time to try it"
		case at.open:
			t.open = cmp.Or(at.why, "something that decides could not be read")
		case at.node == "":
			t.waited++
			t.why = cmp.Or(t.why, at.why)
			t.blockers = p.addBlockers(c, t.blockers)
		case len(at.preempts) > 0:
			t.preempted = plus(t.preempted, at.node)
			t.victims = at.preempts
		default:
			t.landed = plus(t.landed, at.node)
			t.likely = t.likely || at.likely
			if t.tied == nil {
				t.tied = map[string]bool{}
			}
			t.tied[at.node] = true
			for _, node := range at.tie {
				t.tied[node] = true
			}
		}
	}
}

// countKind counts how many of the kind found a node without preempting anybody.
func (p *simulation) countKind(kind *kindComing) {
	found := 0
	for _, c := range kind.comers {
		if at := p.spots[c]; at.node != "" && len(at.preempts) == 0 {
			found++
			kind.nodes = plus(kind.nodes, at.node)
		}
	}
	if p.order == 0 || found < kind.least {
		kind.least = found
	}
}

// addBlockers counts who came to a node that the pending pod would have fitted.
func (p *simulation) addBlockers(c *pendingPod, blockers map[*pendingPod]int) map[*pendingPod]int {
	for _, other := range p.comers {
		if other == c || p.spots[other].node == "" || !slices.Contains(c.kind.room, p.spots[other].node) {
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

// tellFates fills in what becomes of the pods that end.
func (f *forecasting) tellFates() {
	for _, c := range f.comers {
		if c.ends == nil {
			continue
		}
		fate := c.fate()
		fate.Budget = f.told.Fates[c.ends.UID].Budget
		f.told.Fates[c.ends.UID] = fate
	}
}

// fate is what becomes of the pod whose successor the pending pod is.
func (c *pendingPod) fate() plan.Fate {
	t := &c.sums
	found := len(t.landed) + len(t.preempted)
	first := c.mayComeFirst()
	switch {
	case t.open != "":
		return plan.Fate{Outcome: plan.NotKnown, Why: t.open}
	case found == 0 && first != "" && len(c.kind.room) > 0:
		return plan.Fate{Outcome: plan.Depends, Why: madeAfter(first)}
	case found == 0:
		return plan.Fate{Outcome: plan.Waits, Why: c.whyWaits()}
	case t.waited > 0:
		return plan.Fate{Outcome: plan.Depends, Why: c.whyDepends()}
	case c.unless != "":
		return plan.Fate{Outcome: plan.Depends, Why: fmt.Sprintf("made only once %s is ready", c.unless)}
	case len(t.preempted) > 0:
		return plan.Fate{Outcome: plan.Preempts, Node: most(t.preempted), Why: "ends " + grammar.List(t.victims, grammar.Few)}
	}
	fate := plan.Fate{Outcome: plan.Lands, Node: most(t.landed), Likely: t.likely}
	if len(t.tied) > 1 {
		fate.Tie = slices.Sorted(maps.Keys(t.tied))
	}
	return fate
}

// whyWaits says why no order gives it a node.
func (c *pendingPod) whyWaits() string {
	if blocker := c.blocker(); blocker != nil && len(c.kind.room) > 0 {
		return blocker.words() + " takes its place"
	}
	return c.sums.why
}

// whyDepends says who keeps the pod out where it waits.
func (c *pendingPod) whyDepends() string {
	blocker := c.blocker()
	switch {
	case blocker == nil && c.mayComeFirst() != "":
		return madeAfter(c.mayComeFirst())
	case blocker == nil:
		return "depends on the order in which the pods come back"
	case blocker.ends == nil:
		return fmt.Sprintf("fits unless %s is placed first", blocker.words())
	}
	return fmt.Sprintf("fits unless %s comes back first", blocker.words())
}

// madeAfter says on whom it depends whether a pod of an ordered StatefulSet is
// made: one that may still run then, or may have gone and found no node.
func madeAfter(first string) string {
	return fmt.Sprintf("made only after %s if that goes first", first)
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
		return "a waiting " + owner + " pod"
	}
	return "the waiting " + c.pod.Name
}

// nearestOf tells why the pod that was just tried fits no node.
func (e *Engine) nearestOf(pod *corev1.Pod) string {
	defer e.asFor(pod)()
	return e.nearest(asNewPod(pod), &e.trials)
}
