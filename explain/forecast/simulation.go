package forecast

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// simulateAll plays orders until nothing is left open, or there is no more time.
func (f *forecasting) simulateAll(ctx context.Context) error {
	begun := time.Now()
	for n := range mostOrders {
		if n > 0 && (f.certain() || time.Since(begun) > f.patience()) {
			break
		}
		p := newSimulation(f, n)
		if err := p.run(ctx); err != nil {
			return err
		}
		if p.givenUp && n > 0 {
			break
		}
		p.count()
		countVictims(f, p)
		if f.pendingCounts != nil {
			if err := f.pendingCounts.add(ctx, p); err != nil {
				return err
			}
		}
		f.told.Orders++
	}
	if f.told.Orders == 1 && !f.certain() {
		f.unsaid("only one order of recreation was simulated: no time left for more")
	}
	return nil
}

// patience is after how long no further order is begun. Where the scheduler looks at all
// nodes, and its choice can be foretold, all are played on a slow machine too: after few
// of them one pod in a hundred is said to land that does not always.
func (f *forecasting) patience() time.Duration {
	if f.size < scheduler.SampledFrom {
		return longPlayingTime
	}
	return playingTime
}

// certain says whether no order can change what was found: each pending pod either has
// more room than there are pending pods, or none, none minds where others are or
// preempts, and all changes are made at once.
func (f *forecasting) certain() bool {
	if f.trial != nil && f.trial.trial.AtFirst < len(changesOf(f)) {
		return false // pods come between the commands
	}
	if keepsOld(f) && f.size < scheduler.SampledFrom { // else it is tried in the first order only
		return false
	}
	competing := 0
	for _, class := range f.classes {
		if !class.skips {
			competing += len(class.competitors)
		}
	}
	for _, class := range f.classes {
		if !class.skips && class.open == "" && !class.certain(competing) {
			return false
		}
	}
	return true
}

// certain says whether another order of so many pending pods would give these the same.
func (k *equivalenceClass) certain(competing int) bool {
	if slices.ContainsFunc(k.competitors, func(c *pendingPod) bool { return c.mayComeFirst() != "" }) {
		return false
	}
	return k.asked && !k.preempts && !k.devices && !MindsOthers(k.pod()) && !k.preempted() && (len(k.room) == 0 || len(k.room) >= competing)
}

// preempted says whether any of the class came by preemption.
func (k *equivalenceClass) preempted() bool {
	return slices.ContainsFunc(k.competitors, func(c *pendingPod) bool { return len(c.sums.preempted) > 0 })
}

// simulation is one order in which pods go and come.
type simulation struct {
	forecast   *forecasting
	order      int
	random     *rand.Rand
	state      *scheduler.SimulatedState
	placements map[*pendingPod]place
	byUID      map[types.UID]*pendingPod
	ended      map[types.UID]bool   // whose end has begun
	left       map[types.UID]bool   // who is no longer on its node
	kept       map[*pendingPod]bool // successors that are not made: whom they replace stays
	freed      bool                 // a pod was replaced: those that found no node are to be tried
	idle       []*pendingPod        // who found no node yet
	victims    []*corev1.Pod        // who was preempted
	victimsOf  []victimOf           // who of them was by a replacement
	early      map[types.UID]bool   // who of them was not ending yet
	freedTimes int                  // how often capacity was freed
	arrived    []*corev1.Pod        // who has come, as they are on their nodes
	oldTried   bool                 // the old pod of a rolling update had its try
	byOld      []*corev1.Pod        // whom it preempts
	nowhere    map[*equivalenceClass]*rejection
	whys       map[*equivalenceClass]lastWhy

	givenUp bool // there was no time to play it to its end
}

// lastWhy is why a class of pods found no node, when so many pods had come and gone.
type lastWhy struct {
	why   string
	moves int
}

// rejection is that a class of pods found no node.
type rejection struct {
	place
	pod        *corev1.Pod // the one of the class that was asked about
	moved      int64       // scheduler.State.Moved then
	freedTimes int         // how often capacity had been freed then
	arrived    int         // how many pods had come
}

// stillRejects says whether a pod of a class that found no node finds none now: nothing was freed
// since, and none of the pods that came may let it in. Those that came until now are not asked again.
func stillRejects(p *simulation, known *rejection, pod *corev1.Pod) bool {
	s := p.forecast.scheduler
	switch {
	case known == nil || known.freedTimes != p.freedTimes || known.moved != s.State.Moved():
		return false
	case known.helps != nil && (slices.ContainsFunc(p.arrived[known.arrived:], known.helps) || scheduler.SelectionDiffers(s, known.pod, pod)):
		return false
	}
	known.arrived = len(p.arrived)
	return true
}

// place is where a pending pod is, or why it is nowhere.
type place struct {
	placement.Placement
	pod      *corev1.Pod // as it is on the node
	preempts []string    // who went for it

	// helps is which pods may let it in by coming to any node; nil: none.
	helps func(*corev1.Pod) bool
}

// simulatedEvent is one step of a simulation.
type simulatedEvent struct {
	at float64
	do func(context.Context) error
}

// run plays the order to its end.
func (p *simulation) run(ctx context.Context) error {
	p.state = stateAfter(p.forecast, nil, atFirst(p))
	begun := time.Now()
	for _, t := range p.events() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Since(begun) > longestPlay {
			p.givenUp = true
			return nil
		}
		if err := p.forecast.scheduler.Hold(ctx, p.state, func() error { return t.do(ctx) }); err != nil {
			return err
		}
		if err := p.letIn(ctx); err != nil {
			return err
		}
	}
	for range mostRounds {
		if time.Since(begun) > longestPlay {
			return nil
		}
		moved, err := p.again(ctx)
		if err != nil || !moved {
			return err
		}
	}
	return nil
}

// mostRounds is how often those that found no node are tried again.
const mostRounds = 20

// events are the steps of this order. In the first all pods are gone at once and
// their successors come in the order of the queue; in every second of the others
// the pods go one after the other, and some successors come while others have
// still to go.
func (p *simulation) events() []simulatedEvent {
	var events []simulatedEvent
	oneByOne := p.order%2 == 1
	left := map[types.UID]float64{}
	ended := map[types.UID]float64{}
	for _, pod := range p.forecast.gone {
		if p.forecast.rolled[pod.UID] {
			continue
		}
		p.ended[pod.UID] = !oneByOne
		if oneByOne {
			ended[pod.UID] = p.random.Float64()
			left[pod.UID] = ended[pod.UID] + p.random.Float64()/2
			events = append(events, simulatedEvent{ended[pod.UID], func(context.Context) error { return p.terminate(pod) }})
		}
		events = append(events, simulatedEvent{left[pod.UID], func(context.Context) error { return p.leave(pod) }})
	}
	for i, c := range p.forecast.competitors {
		if c.class.skips {
			continue
		}
		p.byUID[c.pod.UID] = c
		if c.ends != nil && p.forecast.rolled[c.ends.UID] {
			at := rollsFrom + p.random.Float64()
			events = append(events, simulatedEvent{at, func(ctx context.Context) error { return p.roll(ctx, c) }})
			continue
		}
		events = append(events, simulatedEvent{p.when(c, i, ended, left), func(ctx context.Context) error { return p.meet(ctx, c) }})
	}
	for _, change := range changesOf(p.forecast)[atFirst(p):] {
		events = append(events, simulatedEvent{p.whenMade(), func(context.Context) error { return p.make(change) }})
	}
	slices.SortStableFunc(events, func(a, b simulatedEvent) int { return cmp.Compare(a.at, b.at) })
	return events
}

// atFirst is how many of the changes are made before any pod comes: all in the first order.
func atFirst(p *simulation) int {
	if p.order == 0 || p.forecast.trial == nil {
		return len(changesOf(p.forecast))
	}
	return p.forecast.trial.trial.AtFirst
}

// whenMade is when a later command of the change that is tried is carried out: after all pods
// but the one that it is for, where that comes last; right after it, where it comes first; or
// while pods come.
func (p *simulation) whenMade() float64 {
	switch {
	case p.order == 1:
		return comesLast - 1
	case p.order == 3:
		return 0
	case p.order%4 == 2: // by priority they come from 6 to 14
		return 6 + p.random.Float64()*8
	}
	return p.random.Float64() * 2
}

// make makes a change: those that found no node are tried again.
func (p *simulation) make(change func(*scheduler.Fork) error) error {
	p.freedTimes++
	p.freed = true
	return p.state.Make(change)
}

// terminate lets a pod begin to end.
func (p *simulation) terminate(pod *corev1.Pod) error {
	p.ended[pod.UID] = true
	if p.left[pod.UID] {
		return nil
	}
	p.freedTimes++ // it may be preempted at no cost
	return p.state.Terminate(pod)
}

// leave takes a pod off its node, unless it has been preempted before.
func (p *simulation) leave(pod *corev1.Pod) error {
	if p.left[pod.UID] {
		return nil
	}
	p.left[pod.UID] = true
	p.freedTimes++
	return p.state.RemovePod(pod)
}

// when is the moment at which the pending pod is the queue's first. In some orders
// priority decides alone, as it does among pods that come at once.
func (p *simulation) when(c *pendingPod, index int, ended, left map[types.UID]float64) float64 {
	if at, ok := p.whenTried(c); ok {
		return at
	}
	switch {
	case p.order == 0:
		return 10 + float64(index)
	case p.order%2 == 0 && p.order%4 == 2: // priority first, chance among equals
		return 10 - (float64(corev1helpers.PodPriority(c.pod))-p.random.Float64()/2)/(1<<29) // after all pods have gone
	case p.order%2 == 0, c.ends == nil:
		return p.random.Float64() * 2
	case c.when == late, c.when == either && p.random.IntN(2) == 0:
		return left[c.ends.UID] + p.random.Float64()/2
	}
	return ended[c.ends.UID] + p.random.Float64()
}

// whenTried is when a pod that a trial is about comes, in the orders in which it is the last
// of all, also of those alike, and the first. One that is changed last is always the last.
func (p *simulation) whenTried(c *pendingPod) (at float64, ok bool) {
	t := p.forecast.trial
	switch {
	case t == nil || !t.is(c):
		return 0, false
	case p.order > 0 && t.trial.Last && c == t.target[0]:
		return comesLast + 1, true
	case p.order > 0 && t.trial.Last:
		return comesLast, true
	case p.order == 1 && c == t.target[0]:
		return comesLast + 1, true
	case p.order == 1:
		return comesLast, true
	}
	return -1, p.order == 3
}

const (
	// rollsFrom is when the controller of a template that has changed begins to replace the
	// pods that run: once those that were pending had their turn.
	rollsFrom = 30
	// comesLast is later than all but those.
	comesLast = 20
)

// meet finds a node for the pending pod, as the scheduler would now.
func (p *simulation) meet(ctx context.Context, c *pendingPod) error {
	found, err := p.find(ctx, c)
	if err != nil {
		return err
	}
	p.placements[c] = found
	if found.Node == "" {
		if !found.Open {
			p.idle = append(p.idle, c)
		}
		return nil
	}
	found.pod, err = put(ctx, p, c.pod, found.Placement)
	found.Found = nil
	p.placements[c] = found
	if err != nil || !triesOld(p, c) {
		return err
	}
	return tryOld(ctx, p)
}

// put puts a pod on the node that was found for it, with the devices that it gets there. Where it
// has preempted others it is asked again for them.
func put(ctx context.Context, p *simulation, pod *corev1.Pod, at placement.Placement) (there *corev1.Pod, err error) {
	defer func() {
		if there != nil {
			p.arrived = append(p.arrived, there)
		}
	}()
	if at.Found == nil {
		t, err := p.forecast.scheduler.FittingNodes(ctx, placement.AsNewPod(pod), []string{at.Node})
		if err != nil {
			return nil, err
		}
		if len(t.Names) == 0 { // it yields there to a nominated pod
			return p.state.AddPod(pod, at.Node)
		}
		at.Found = t
	}
	return p.state.Place(ctx, at.Found, pod, at.Node)
}

// heldBack says whether the pending pod's set does not make it yet, for one before it
// has found no node.
func (p *simulation) heldBack(c *pendingPod) (placement.Placement, bool) {
	for _, before := range c.before {
		switch at := p.placements[before.pendingPod]; {
		case before.mayStay && !p.ended[before.ends.UID]:
		case at.Open || before.class.untried:
			return placement.Placement{Open: true, Why: "its StatefulSet creates it only once " + before.pod.Name + " is Ready, whose placement is unknown"}, true
		case at.Node == "":
			return placement.Placement{Why: "its StatefulSet creates it only once " + before.pod.Name + " is Ready"}, true
		}
	}
	return placement.Placement{}, false
}

// find is where the pending pod goes; nobody is moved but who it preempts.
func (p *simulation) find(ctx context.Context, c *pendingPod) (place, error) {
	if l, held := p.heldBack(c); held {
		return place{Placement: l}, nil
	}
	if c.pod.Status.NominatedNodeName != "" {
		p.freedTimes++ // others need no longer yield to it there
	}
	p.state.Consider(c.pod)
	if found, err := fitsNominated(ctx, p, c.pod); found != nil || err != nil {
		return place{Placement: placement.Placement{Node: c.pod.Status.NominatedNodeName, Found: found}}, err
	}
	if MindsOthers(c.pod) && placement.HasOwnClaims(c.pod) {
		return p.findAnew(ctx, c) // the claims of each are in another place
	}
	known := p.nowhere[c.class]
	if known == nil {
		known = knownAtStart(p, c.class)
	}
	if stillRejects(p, known, c.pod) {
		p.nowhere[c.class] = known
		return known.place, nil
	}
	found, err := p.findAnew(ctx, c)
	if err == nil && found.Node == "" && !found.Open && c.ends == nil { // of those the last reason is told
		noteNowhere(p, c, found)
	}
	return found, err
}

// noteNowhere keeps that a class found no node, for all simulations of a change if no pod had come.
func noteNowhere(p *simulation, c *pendingPod, found place) {
	known := rejection{found, c.pod, p.forecast.scheduler.State.Moved(), p.freedTimes, len(p.arrived)}
	p.nowhere[c.class] = &known
	if p.freedTimes == 0 && len(p.arrived) == 0 && !c.class.preempts {
		start := known
		c.class.nowhere = &start
	}
}

// knownAtStart is that a class finds no node as long as no pod has come, where all simulations begin
// with the same state; nil: that is not known.
func knownAtStart(p *simulation, class *equivalenceClass) *rejection {
	t := p.forecast.trial
	if class.nowhere == nil || t == nil || len(p.forecast.gone) > 0 || t.trial.AtFirst < len(t.trial.Changes) {
		return nil
	}
	known := *class.nowhere
	return &known
}

// findAnew is find for a pod of a class that may have room.
func (p *simulation) findAnew(ctx context.Context, c *pendingPod) (place, error) {
	l, err := findPlace(ctx, p, c)
	if err == nil && len(l.Fits) > 0 && (p.forecast.pendingCounts != nil || p.forecast.trial.is(c)) { // whether it fits is asked for: any of these nodes may be taken
		l = placement.Placement{Node: l.Fits[0], Tie: l.Fits, Found: l.Found}
	}
	switch {
	case err != nil || l.Open:
		return place{Placement: l}, err
	case l.Node == "":
		return findNowhere(ctx, p, c, l)
	case len(l.Tie) > 1 && p.order > 0:
		l.Node = l.Tie[p.random.IntN(len(l.Tie))]
	}
	return place{Placement: l}, nil
}

// findNowhere is where a pod gets by preemption that fits no node as it is, or why it gets nowhere.
func findNowhere(ctx context.Context, p *simulation, c *pendingPod, l placement.Placement) (place, error) {
	var helps func(*corev1.Pod) bool
	switch {
	case !MindsOthers(c.pod):
	case c.class.steady(p.forecast.trial, c):
		helps = scheduler.Helps(l.Matrix, placement.AsNewPod(c.pod))
	default: // it may preempt who comes
		helps = func(*corev1.Pod) bool { return true }
	}
	found, err := p.preempt(ctx, c, l)
	found.helps = helps
	if err == nil && found.Node == "" && c.ends != nil && c.sums.why == "" {
		found.Why, err = whyNowhere(ctx, p, c)
	}
	return found, err
}

// whyNowhere says why a pod finds no node. As long as nobody has come or gone, it is asked once
// for all pods of a class.
func whyNowhere(ctx context.Context, p *simulation, c *pendingPod) (string, error) {
	moves := p.freedTimes + len(p.arrived)
	if known, ok := p.whys[c.class]; ok && known.moves == moves {
		return known.why, nil
	}
	why, err := placement.Why(ctx, p.forecast.scheduler, placement.AsNewPod(c.pod), cordonedBy(p.forecast))
	p.whys[c.class] = lastWhy{why, moves}
	return why, err
}

// findPlace is where the scheduler puts a pending pod. Where it fits many nodes in a trial, it is asked
// about some of them first, from a random one on, as the scheduler looks at some only.
func findPlace(ctx context.Context, p *simulation, c *pendingPod) (placement.Placement, error) {
	f, where := p.forecast, p.where(c)
	if where != nil && f.size >= scheduler.SampledFrom {
		if some := f.scheduler.Profile(c.pod).Sample(f.size); len(c.class.room) > 2*some {
			at := 0
			if p.order > 0 {
				at = p.random.IntN(len(c.class.room))
			}
			from := slices.Concat(c.class.room[at:], c.class.room[:at])[:some]
			l, err := placement.Find(ctx, f.scheduler, c.pod, from)
			if err != nil || l.Node != "" && !l.Open {
				l.Likely = true
				return l, err
			}
		}
	}
	return placement.Find(ctx, f.scheduler, c.pod, where)
}

// where are the nodes on which a pending pod may fit, in a trial: those that it fits when
// nobody has come, or that it may fit once others have where it minds them, unless pods were
// preempted; nil: any.
func (p *simulation) where(c *pendingPod) []string {
	k := c.class
	if p.forecast.trial == nil || !k.asked || k.open != "" || len(p.victims) > 0 {
		return nil
	}
	if MindsOthers(c.pod) {
		if k.reached != p.forecast.scheduler.State.Moved() {
			return nil
		}
		return k.reach
	}
	return append([]string{}, k.room...)
}

// steady reports whether pods that wait cannot preempt after a change, as they could not
// before: it concerns no node on which they might, and they are no replicas of the pod that
// mind where it is.
func (k *equivalenceClass) steady(t *tried, c *pendingPod) bool {
	return t != nil && k.waits && !k.preempts && len(k.room) == 0 && !t.is(c) && (!MindsOthers(c.pod) || !t.hasReplica(c))
}

// fitsNominated finds out whether a pod fits the node that it is nominated to, which is asked
// before all others; nil: it does not.
func fitsNominated(ctx context.Context, p *simulation, pod *corev1.Pod) (*scheduler.FittingNodes, error) {
	nominated := pod.Status.NominatedNodeName
	if nominated == "" {
		return nil, nil
	}
	t, err := p.forecast.scheduler.FittingNodes(ctx, pod, []string{nominated})
	if err != nil || len(t.Names) == 0 || t.Open {
		return nil, err
	}
	return t, nil
}

// again gives those that found no node another try, for some may fit now that
// others have come or gone. What one of a class does not fit, the others do not.
func (p *simulation) again(ctx context.Context) (moved bool, err error) {
	idle := p.idle
	p.idle = nil
	if p.order > 0 && p.order%4 != 2 {
		p.random.Shuffle(len(idle), func(i, j int) { idle[i], idle[j] = idle[j], idle[i] })
	}
	refused := map[*equivalenceClass]bool{}
	for _, c := range idle {
		if refused[c.class] {
			p.idle = append(p.idle, c)
			continue
		}
		if err := p.forecast.scheduler.Hold(ctx, p.state, func() error { return p.meet(ctx, c) }); err != nil {
			return false, err
		}
		landed := p.placements[c].Node != ""
		moved = moved || landed
		refused[c.class] = !landed && len(c.before) == 0
	}
	return moved, ctx.Err()
}
