package forecast

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// victimOf is a pod that was preempted in one order for the replacement of another one.
type victimOf struct {
	pod, by *corev1.Pod // by is the one that ends, whose replacement preempts
	class   string
	fate    plan.Fate // its Outcome is "" where a replacement looks for a node
}

// noteVictim notes that the pod is preempted by a replacement. Those that came in this order, that end anyway or that
// are terminating already are told of elsewhere. Called under the lock.
func noteVictim(p *simulation, victim *corev1.Pod, by *pendingPod) {
	f := p.forecast
	_, ends := f.told.Fates[victim.UID]
	if f.trial != nil || by.ends == nil || ends || p.byUID[victim.UID] != nil || victim.DeletionTimestamp != nil {
		return
	}
	class := model.NewPod(f.successor(victim).pod).EquivalenceKey()
	p.victimsOf = append(p.victimsOf, victimOf{victim, by.ends, class, f.fateWithoutSuccessor(victim)})
}

// victimFate is what became of a victim at the end of the order.
func victimFate(p *simulation, v victimOf) plan.Fate {
	next := p.byUID[successorUID(v.pod)]
	if v.fate.Outcome != "" || next == nil {
		return v.fate
	}
	switch at, tried := p.placements[next]; {
	case !tried:
		return plan.Fate{Outcome: plan.NotKnown, Why: "no time left to simulate it"}
	case at.Open:
		return plan.Fate{Outcome: plan.NotKnown, Why: cmp.Or(at.Why, "required objects could not be read")}
	case at.Node == "":
		return plan.Fate{Outcome: plan.Waits, Why: at.Why}
	default:
		return plan.Fate{Outcome: plan.Lands, Node: at.Node}
	}
}

// victimClass are the victims that are alike for the scheduler: which of them goes may be left to chance.
type victimClass struct {
	pods   map[types.UID]*victimSums
	least  map[plan.Outcome]int // in each order at least so many came to this
	most   int                  // and so many were preempted at most
	orders int                  // in which any was
}

// victimSums are what became of a victim in the orders in which it was preempted.
type victimSums struct {
	pod   *corev1.Pod
	first bool // in the first order too
	times int
	fates map[plan.Outcome]int
	told  map[plan.Outcome]plan.Fate // the first of each
	nodes map[string]int
	by    map[string]int
}

// countVictims adds what became of the pods that were preempted in one order.
func countVictims(f *forecasting, p *simulation) {
	now := map[string]map[plan.Outcome]int{}
	for _, v := range p.victimsOf {
		class := f.victims[v.class]
		if class == nil {
			class = &victimClass{pods: map[types.UID]*victimSums{}, least: map[plan.Outcome]int{}}
			f.victims[v.class] = class
		}
		if now[v.class] == nil {
			now[v.class] = map[plan.Outcome]int{}
		}
		now[v.class][class.add(v, victimFate(p, v), p.order == 0)]++
	}
	for key, counts := range now {
		class, all := f.victims[key], 0
		for _, n := range counts {
			all += n
		}
		class.most = max(class.most, all)
		for _, outcome := range victimOutcomes {
			if n := counts[outcome]; class.orders == 0 || n < class.least[outcome] {
				class.least[outcome] = n
			}
		}
		class.orders++
	}
}

// add adds what became of one victim.
func (k *victimClass) add(v victimOf, fate plan.Fate, first bool) plan.Outcome {
	t := k.pods[v.pod.UID]
	if t == nil {
		t = &victimSums{pod: v.pod, fates: map[plan.Outcome]int{}, told: map[plan.Outcome]plan.Fate{}}
		k.pods[v.pod.UID] = t
	}
	t.first = t.first || first
	t.times++
	if t.fates[fate.Outcome]++; t.fates[fate.Outcome] == 1 {
		t.told[fate.Outcome] = fate
	}
	if fate.Node != "" {
		t.nodes = plus(t.nodes, fate.Node)
	}
	t.by = plus(t.by, plugins.FullName(v.by))
	return fate.Outcome
}

// victimOutcomes are what may become of victims, the worst first.
var victimOutcomes = []plan.Outcome{plan.Waits, plan.Lost, plan.NotKnown, plan.Lands, plan.Finished, plan.NotMade}

// tellVictims fills in what happens to the pods that are preempted.
func tellVictims(f *forecasting) {
	for _, key := range slices.Sorted(maps.Keys(f.victims)) {
		f.told.Preempted = append(f.told.Preempted, f.victims[key].tell(f.told.Orders)...)
	}
}

// tell names as many pods of the class for an outcome as come to it in every order, those first that the first order
// preempts; of what else may happen the rest depends.
func (k *victimClass) tell(orders int) (told []plan.PreemptedPod) {
	left := slices.SortedFunc(maps.Values(k.pods), func(a, b *victimSums) int {
		if a.first != b.first {
			return map[bool]int{true: -1, false: 1}[a.first]
		}
		return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(plugins.FullName(a.pod), plugins.FullName(b.pod)))
	})
	others := len(left) > k.most || k.orders < orders
	for _, outcome := range victimOutcomes {
		for n := k.least[outcome]; n > 0 && k.orders == orders; n-- {
			at := slices.IndexFunc(left, func(t *victimSums) bool { return t.fates[outcome] > 0 })
			if at < 0 {
				break
			}
			t := left[at]
			fate := t.told[outcome]
			if outcome == plan.Lands {
				fate.Node, fate.Likely = most(t.nodes), len(t.nodes) > 1
			}
			told = append(told, plan.PreemptedPod{Pod: t.pod, By: most(t.by), Fate: fate, Instead: others})
			left = slices.Delete(left, at, at+1)
		}
	}
	for _, t := range left[:min(len(left), max(0, k.most-len(told)))] {
		told = append(told, plan.PreemptedPod{Pod: t.pod, By: most(t.by), Instead: others, Fate: plan.Fate{Outcome: plan.Depends}})
	}
	return told
}
