package forecast

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// FixSimulation is a change that is meant to give one pod a node.
type FixSimulation struct {
	// Pod is that pod, as it is after the change; nil: what becomes of others is asked alone.
	Pod *corev1.Pod
	// Recreated says that the change deletes the pod, and that a new one comes.
	Recreated bool
	// Last says that the pod is changed last: other pods come before it to what is freed.
	Last bool
	// Alike are other pending pods as they are after the change.
	Alike []*corev1.Pod
	// Any says that any of Alike with a node is as good as Pod: their controller makes all of
	// them anew, without names of their own.
	Any bool
	// Changes are those of nodes, volumes and claims, in the order in which they are made.
	Changes []func(*scheduler.Fork) error
	// AtFirst is how many of Changes are made by the first command. The scheduler takes pods
	// before the others are.
	AtFirst int
	// Nodes are the names of the nodes that Changes change.
	Nodes []string
	// Gone are the pods that are evicted, all at once.
	Gone []types.UID
	// Stopped are pods that end, all at once, and that no other pod replaces; also pending ones.
	Stopped []types.UID
	// Rolled are pods on nodes that their controller replaces after that, one by one.
	Rolled []Rolled
	// AtOnce says that those of Rolled go all at once.
	AtOnce bool
	// Missing is how many of Pod, Alike and Rolled may be missing while they are replaced one by
	// one; nil: a quarter.
	Missing *int
	// Old is Pod as it is before the change, where its Deployment keeps it until a new one is Ready:
	// the scheduler may try it meanwhile. nil: it goes before any new one comes.
	Old *corev1.Pod
	// Time is after how long no further order is begun in a large cluster; in a small one as
	// many are simulated on each machine, so that it gives the same answer.
	Time time.Duration
}

// Rolled is a pod that its controller replaces.
type Rolled struct {
	Pod  *corev1.Pod
	Next *corev1.Pod // what its successor is like; its node and its status do not count
}

// FixOutcome is what became of a simulated fix.
type FixOutcome struct {
	// Orders is in how many orders pods came.
	Orders int
	// Placed is in how many of them the pod has a node in the end.
	Placed int
	// Unless are the other pods on which that depends, and those that the change harms, those
	// that matter most first.
	Unless []AffectedPod
	// Fates are what becomes of the pods of Gone.
	Fates map[types.UID]plan.Fate
	// Newcomers are other pending pods that fit no node now and are placed then, one of each
	// class, with how many of them are.
	Newcomers []Newcomer
	// Displaced are pods that are pending now, are placed after the change and preempted
	// then in some orders; their controllers make them again.
	Displaced []*corev1.Pod
	// Daemons are the pods that DaemonSets create for the nodes that are changed.
	Daemons []*corev1.Pod
	// Unknown is why the answer is incomplete; "" if it is complete.
	Unknown string
}

// AffectedPod is another pod that a simulated fix is about.
type AffectedPod struct {
	Pod *corev1.Pod
	// Replacement says that it is the replacement of Pod.
	Replacement bool
	How         Hindering
	Orders      int // in how many of them
}

// Hindering is what another pod does to the one of a simulated fix, or what becomes of it.
type Hindering int

// What other pods do.
const (
	TakesPlace  Hindering = iota // it is placed first
	Preempted                    // it is preempted, by the pod or by others that come
	LosesPlace                   // it is pending, fits a node now and none then
	NotReplaced                  // it runs, is replaced, and its successor finds no node
)

// Newcomer is one of a class of pending pods that the change lets in.
type Newcomer struct {
	Pod   *corev1.Pod
	Count int
}

const (
	// mostTrials is how many orders are simulated of one change at most, and fewTrials
	// after how many no further one is once the pod was left without a node.
	mostTrials, fewTrials = 12, 8
	// leastTrials is how many there have to be for an answer to count, where the order
	// matters.
	leastTrials = 4
	// mindedTrials is in how many orders pods are tried that find no room but mind where
	// others are.
	mindedTrials = 2
)

// SimulateFix says whether the pod has a node after a change: all pending pods come in the order of
// the scheduler's queue and in others, as its back-off makes them, and preempt each other as
// they would.
func (s Simulator) SimulateFix(ctx context.Context, trial *FixSimulation) (*FixOutcome, error) {
	supposed := plan.Hypothesis{Gone: trial.Gone}
	if trial.Pod != nil {
		supposed.Pods = append([]*corev1.Pod{trial.Pod}, trial.Alike...)
	}
	f := s.forecasting(supposed)
	f.trial = &tried{
		trial: trial, told: &FixOutcome{Fates: f.told.Fates}, harmless: map[types.UID]int{},
		newcomers: map[*equivalenceClass]int{}, displaced: map[*equivalenceClass]bool{},
	}
	daemons := func(ctx context.Context) error { return findDaemonPods(ctx, f) }
	for _, do := range []func(context.Context) error{daemons, f.gather, f.survey, func(ctx context.Context) error { return f.trial.tryOrders(ctx, f) }} {
		if err := do(ctx); err != nil {
			return nil, failed(err)
		}
	}
	f.tellFates()
	return f.trial.tell(f), nil
}

// tried is a FixOutcome in the making.
type tried struct {
	trial     *FixSimulation
	target    []*pendingPod // the pod first, then those that get the change with it
	replaced  []*pendingPod // the successors of those that run and get the change
	unless    []AffectedPod
	harmless  map[types.UID]int // in how many orders a pod was where the pod would fit, which had a node
	newcomers map[*equivalenceClass]int
	displaced map[*equivalenceClass]bool
	disturbed bool // pods were preempted in any order, or others placed that fit no node now
	told      *FixOutcome
}

// is reports whether a pending pod is one that the trial is about; without a trial none is.
func (t *tried) is(c *pendingPod) bool { return t != nil && slices.Contains(t.target, c) }

// hasReplica reports whether a pending pod has the same controller as the one that the trial is
// about.
func (t *tried) hasReplica(c *pendingPod) bool {
	by := metav1.GetControllerOfNoCopy(c.pod)
	return by != nil && len(t.target) > 0 && metav1.IsControlledBy(t.target[0].pod, &metav1.ObjectMeta{UID: by.UID})
}

// addTarget finds the pods that the trial is about, and adds the one that does not exist.
func (t *tried) addTarget(f *forecasting) {
	for _, pod := range f.supposed.Pods {
		i := slices.IndexFunc(f.competitors, func(c *pendingPod) bool { return c.pod == pod })
		if i < 0 && pod == t.trial.Pod {
			i, f.competitors = len(f.competitors), append(f.competitors, &pendingPod{pod: pod})
		}
		if i >= 0 {
			f.competitors[i].recreated = t.trial.Recreated
			t.target = append(t.target, f.competitors[i])
		}
	}
}

// addStopped adds the pods that end without a successor.
func (t *tried) addStopped(f *forecasting) {
	for _, uid := range t.trial.Stopped {
		if pod := f.scheduler.State.Pods[uid]; pod != nil && scheduler.Assigned(pod) {
			f.gone = append(f.gone, pod)
		}
	}
}

// addRolled adds the pods that are replaced one by one, and their successors.
func (t *tried) addRolled(f *forecasting) {
	f.rolled = map[types.UID]bool{}
	for _, r := range t.trial.Rolled {
		pod := f.scheduler.State.Pods[r.Pod.UID]
		if pod == nil || !scheduler.Assigned(pod) || slices.Contains(f.gone, pod) || f.fateWithoutSuccessor(pod).Outcome != "" {
			continue
		}
		f.gone, f.rolled[pod.UID] = append(f.gone, pod), !t.trial.AtOnce
		next := f.successor(pod)
		spec := r.Next.Spec.DeepCopy()
		spec.NodeName = ""
		next.pod.Spec, next.pod.Labels, next.pod.Annotations = *spec, r.Next.Labels, r.Next.Annotations
		f.competitors, t.replaced = append(f.competitors, next), append(t.replaced, next)
	}
}

// tryOrders simulates orders until their answer is certain, or there is no more time.
func (t *tried) tryOrders(ctx context.Context, f *forecasting) error {
	begun := time.Now()
	for n := range mostTrials {
		if n > 0 && (t.late(f, n, time.Since(begun)) || t.known(f, n) || f.certain()) {
			break
		}
		p := newSimulation(f, n)
		if err := p.run(ctx); err != nil {
			return err
		}
		if p.givenUp {
			break
		}
		p.count()
		t.add(p)
		t.leaveOut(p)
	}
	if t.told.Orders == 0 || t.told.Orders < leastTrials && !f.certain() && !t.known(f, t.told.Orders) {
		f.unsaid("no time left to simulate it with the other pending pods")
	}
	return nil
}

// late reports whether no further order is to be begun, for want of time. The first one takes the
// longest, as the next know what it found: they may take as long again.
func (t *tried) late(f *forecasting, orders int, taken time.Duration) bool {
	allowed := t.trial.Time
	if orders < mindedTrials {
		allowed *= mindedTrials
	}
	return taken > longPlayingTime || f.size >= scheduler.SampledFrom && taken > allowed
}

// leaveOut leaves out of further orders the pending pods that found no node in those so far
// although others came that they may mind: what keeps them from all nodes does not change.
func (t *tried) leaveOut(p *simulation) {
	if t.told.Orders < mindedTrials {
		return
	}
	for _, class := range p.forecast.classes {
		if class.waits && !class.preempts && class.asked && len(class.room) == 0 && class.open == "" && t.newcomers[class] == 0 && !t.is(class.competitors[0]) {
			class.skips = true
		}
	}
}

// known reports whether further orders would change nothing: the pod was left without a node
// often enough, or no pod came or went but those that fit without the change.
func (t *tried) known(f *forecasting, orders int) bool {
	still := !t.disturbed && len(t.trial.Gone)+len(t.trial.Stopped)+len(t.trial.Rolled) == 0
	least := mindedTrials
	if keepsOld(f) && f.size < scheduler.SampledFrom {
		least = leastTrials // in which it is tried twice
	}
	return orders >= least && still || orders >= leastTrials && t.told.Placed == 0 || orders >= fewTrials && (t.told.Placed < orders || len(t.unless) > 0)
}

// newSimulation begins an order; the same number gives the same order.
func newSimulation(f *forecasting, order int) *simulation {
	return &simulation{
		forecast: f, order: order, random: rand.New(rand.NewPCG(1, uint64(order))),
		placements: map[*pendingPod]place{}, ended: map[types.UID]bool{}, early: map[types.UID]bool{}, left: map[types.UID]bool{}, kept: map[*pendingPod]bool{}, byUID: map[types.UID]*pendingPod{},
		nowhere: map[*equivalenceClass]*rejection{}, whys: map[*equivalenceClass]lastWhy{},
	}
}

// add adds what became of the pod, and of others, in one order.
func (t *tried) add(p *simulation) {
	t.told.Orders++
	if len(t.target) > 0 {
		t.addPlace(p)
	}
	for _, victim := range p.victims {
		t.addVictim(p, victim)
	}
	for _, victim := range p.byOld {
		if !slices.Contains(p.victims, victim) {
			t.addVictim(p, victim)
		}
	}
	t.disturbed = t.disturbed || len(p.victims) > 0 || slices.ContainsFunc(p.forecast.competitors, func(c *pendingPod) bool {
		return p.placements[c].Node != "" && !t.is(c) && !c.class.now
	})
	for _, c := range t.replaced {
		if p.placements[c].Node == "" && !p.kept[c] {
			t.note(AffectedPod{Pod: c.ends, How: NotReplaced})
			break
		}
	}
	for _, class := range p.forecast.classes {
		t.addClass(p, class)
	}
}

// addPlace notes whether the pod has a node in an order, and who is on the nodes that it would
// have fitted.
func (t *tried) addPlace(p *simulation) {
	targets := t.target
	if !t.trial.Any {
		targets = targets[:1]
	}
	placed := slices.ContainsFunc(targets, func(c *pendingPod) bool { return p.placements[c].Node != "" })
	if placed {
		t.told.Placed++
	}
	for by := range p.addBlockers(t.target[0], nil) {
		if placed {
			t.harmless[by.pod.UID]++
			continue
		}
		t.hindered(by, TakesPlace)
	}
}

// addClass counts those of a class of pending pods that are placed, and notes where they would
// be without the change only.
func (t *tried) addClass(p *simulation, class *equivalenceClass) {
	if !class.waits || t.is(class.competitors[0]) {
		return
	}
	found := 0
	var without *pendingPod
	for _, c := range class.competitors {
		if p.placements[c].Node != "" {
			found++
		} else if without == nil {
			without = c
		}
	}
	t.newcomers[class] = max(t.newcomers[class], found)
	if class.now && without != nil && !class.skips {
		t.hindered(without, LosesPlace)
	}
}

// addVictim notes a pod that was preempted. One that the change replaces is known to go, and
// one that was pending before and is made again loses nothing that it had. One that is only made
// later did not exist. One that the change evicts, and that goes before it is its turn, leaves a
// command that finds no pod.
func (t *tried) addVictim(p *simulation, victim *corev1.Pod) {
	c, known := p.byUID[victim.UID]
	_, replaced := p.forecast.rolled[victim.UID]
	gone := slices.Contains(t.trial.Gone, victim.UID)
	switch {
	case gone && p.early[victim.UID]:
		t.note(AffectedPod{Pod: victim, How: Preempted})
	case replaced || gone || known && (c.ends != nil || c.following || t.is(c)):
	case known && placement.ControllerKind(victim) != "":
		t.displace(c.class)
	default:
		t.note(AffectedPod{Pod: victim, How: Preempted})
	}
}

// displace notes that any of a class may be placed, and preempted then.
func (t *tried) displace(class *equivalenceClass) {
	if t.displaced[class] {
		return
	}
	t.displaced[class] = true
	for _, other := range class.competitors {
		t.told.Displaced = append(t.told.Displaced, other.pod)
	}
}

// displaceMore notes all classes that may be placed first and be preempted then, in whatever
// order pods come: those that fit no node now, and one then that a pod which preempts fits too.
// Few orders are simulated: they show that it happens, and not to whom.
func (t *tried) displaceMore(f *forecasting) {
	preempts := map[string]int32{} // the highest priority of those that may, by node
	for _, class := range f.classes {
		policy, priority := class.pod().Spec.PreemptionPolicy, corev1helpers.PodPriority(class.pod())
		if policy != nil && *policy == corev1.PreemptNever {
			continue
		}
		for _, node := range class.room {
			if known, ok := preempts[node]; !ok || known < priority {
				preempts[node] = priority
			}
		}
	}
	for _, class := range f.classes {
		if !class.waits || class.now || t.is(class.competitors[0]) || placement.ControllerKind(class.pod()) == "" {
			continue
		}
		priority := corev1helpers.PodPriority(class.pod())
		if slices.ContainsFunc(class.room, func(node string) bool { by, ok := preempts[node]; return ok && by > priority }) {
			t.displace(class)
		}
	}
}

func (t *tried) hindered(c *pendingPod, how Hindering) {
	if c.ends != nil {
		t.note(AffectedPod{Pod: c.ends, Replacement: true, How: how})
		return
	}
	t.note(AffectedPod{Pod: c.pod, How: how})
}

// note counts a hindrance.
func (t *tried) note(h AffectedPod) {
	at := slices.IndexFunc(t.unless, func(known AffectedPod) bool { return known.Pod.UID == h.Pod.UID && known.How == h.How })
	if at < 0 {
		at, t.unless = len(t.unless), append(t.unless, h)
	}
	t.unless[at].Orders++
}

// tell is the answer.
func (t *tried) tell(f *forecasting) *FixOutcome {
	told := t.told
	told.Unknown, told.Daemons = f.told.Unknown, f.daemonPods
	if len(told.Displaced) > 0 {
		t.displaceMore(f)
	}
	for _, c := range t.target {
		if open := cmp.Or(c.sums.open, c.class.open); open != "" && told.Placed < told.Orders {
			told.Unknown = cmp.Or(told.Unknown, open)
		}
	}
	guilt := func(h AffectedPod) int {
		if h.How != TakesPlace {
			return h.Orders
		}
		return h.Orders - t.harmless[h.Pod.UID]
	}
	slices.SortFunc(t.unless, func(a, b AffectedPod) int {
		return cmp.Or(cmp.Compare(guilt(b), guilt(a)), cmp.Compare(b.Orders, a.Orders), cmp.Compare(a.How, b.How), cmp.Compare(plugins.FullName(a.Pod), plugins.FullName(b.Pod)))
	})
	told.Unless = t.unless
	for _, class := range f.classes {
		if n := t.newcomers[class]; n > 0 && !class.now && !class.able {
			told.Newcomers = append(told.Newcomers, Newcomer{Pod: class.pod(), Count: n})
		}
	}
	return told
}
