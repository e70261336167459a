// Package forecast simulates what happens to pods that are evicted, and to pending pods,
// when pods are evicted or nodes change.
package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pdb"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

const (
	// mostOrders is how many orders of coming back are played at most.
	mostOrders = 40
	// playingTime is after how long no further order is begun, in a small cluster
	// longPlayingTime.
	playingTime, longPlayingTime = 300 * time.Millisecond, 2 * time.Second
	// longestPlay is after how long an order is given up.
	longestPlay = 3 * time.Second
	// comparingTime is after how long no further class of pods is asked about or
	// compared in clusters where the scheduler looks at some of the nodes only.
	comparingTime = 300 * time.Millisecond
)

// Simulator simulates evicted pods and changed nodes.
type Simulator struct {
	Scheduler *scheduler.Scheduler
	Budgets   *pdb.Budgets
	// Now is the clock.
	Now func() time.Time
	// Added are nodes that do not exist: every simulated state has them.
	Added []scheduler.NewNode
	// PreemptionCache is whom a trial counts among those that preempt, although they could before the
	// change as well; nil: that is not asked.
	PreemptionCache *PreemptionCache
	// Stopped is called by Pending with the first pod, in the order of the queue, that is not placed on a
	// node, and the simulated state then; nil: that is not asked.
	Stopped func(ctx context.Context, on *scheduler.SimulatedState, pod *corev1.Pod) error
}

// Forecast says what the scheduler would do in a simulated state: where the pods
// that are evicted are rescheduled, and which pending pods gain or lose a node. The
// recreated pods compete with each other and with pending ones, in an order that is
// unknown: several are simulated, on forks of the state. The lock is held for one pod
// at a time, so the real state may move between them.
func (s Simulator) Forecast(ctx context.Context, supposed plan.Hypothesis) (*plan.Forecast, error) {
	f := s.forecasting(supposed)
	for _, do := range []func(context.Context) error{f.gather, f.survey, f.simulateAll} {
		if err := do(ctx); err != nil {
			return nil, failed(err)
		}
	}
	f.tellFates()
	tellVictims(f)
	f.tellAdmitted()
	if err := f.tellBarred(ctx); err != nil {
		return nil, failed(err)
	}
	return f.told, nil
}

// forecasting begins a forecast.
func (s Simulator) forecasting(supposed plan.Hypothesis) *forecasting {
	return &forecasting{
		scheduler: s.Scheduler, budgets: s.Budgets, now: metav1.NewTime(s.Now()).Rfc3339Copy(), added: s.Added, able: s.PreemptionCache, supposed: supposed,
		told:  &plan.Forecast{Fates: map[types.UID]plan.Fate{}},
		taken: map[types.UID][]types.NamespacedName{}, victims: map[string]*victimClass{},
	}
}

// stateOf is a simulated state of the forecast without the pods that are gone, after all changes.
func stateOf(f *forecasting, gone []*corev1.Pod) *scheduler.SimulatedState {
	return stateAfter(f, gone, len(changesOf(f)))
}

// stateAfter is stateOf after so many changes.
func stateAfter(f *forecasting, gone []*corev1.Pod, changes int) *scheduler.SimulatedState {
	on := f.scheduler.State.NewSimulatedState(f.supposed.Nodes, gone)
	for _, one := range f.added {
		on.AddNode(one)
	}
	for _, change := range changesOf(f)[:changes] {
		on.Begin(change)
	}
	return on
}

// changesOf are those of nodes, volumes and claims of the change that is tried.
func changesOf(f *forecasting) []func(*scheduler.Fork) error {
	if f.trial == nil {
		return nil
	}
	return f.trial.trial.Changes
}

// cordonedBy are the nodes that the plan cordons.
func cordonedBy(f *forecasting) []*corev1.Node {
	return slices.DeleteFunc(slices.Clone(f.supposed.Nodes), func(node *corev1.Node) bool { return !node.Spec.Unschedulable })
}

// failed tells an error of a forecast; those of the context stay as they are.
func failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("forecast: %w", err)
}

// forecasting is a forecast in the making.
type forecasting struct {
	scheduler *scheduler.Scheduler
	budgets   *pdb.Budgets
	now       metav1.Time // when it began: all pods that it makes are created then, to the second as in the API

	added         []scheduler.NewNode
	able          *PreemptionCache // nil: not asked about
	supposed      plan.Hypothesis
	told          *plan.Forecast
	pendingCounts *pendingCounts // of the pending pods; nil: not asked for
	trial         *tried         // of a change; nil: none is tried
	size          int            // nodes, when it began

	rolled      map[types.UID]bool                   // those of gone that a tried change replaces, and whether one by one, later
	taken       map[types.UID][]types.NamespacedName // the budgets from which pods of gone take a disruption
	gone        []*corev1.Pod                        // those that end and take room, in the order of the plan
	daemonPods  []*corev1.Pod                        // those that DaemonSets create for the nodes that a tried change opens
	victims     map[string]*victimClass              // who is preempted by replacements
	competitors []*pendingPod                        // who looks for a node then, in the order of the queue
	classes     []*equivalenceClass                  // the same by equivalence class
	grouped     int                                  // pending pods of PodGroups, which are left out
}

// equivalenceClass is pending pods that one answer holds for.
type equivalenceClass struct {
	key         string
	competitors []*pendingPod
	waits       bool       // they wait now; else they are successors of pods that end
	now         bool       // they fit a node in the present state
	asked       bool       // room was asked for: there was time
	room        []string   // the nodes that they fit when nobody has come yet
	reach       []string   // those that they may fit once others have come, where they mind others in a trial; nil: any
	reached     int64      // scheduler.State.Moved then
	devices     bool       // they get devices there, which may be the same ones
	open        string     // why that could not be decided
	nowhere     *rejection // in a trial as long as nobody has come; nil: not known
	skips       bool       // they find no room whatever the order, or were not tried
	untried     bool       // there was no time to ask whether they fit
	preempts    bool       // they may find room by preemption after a change that is tried
	able        bool       // they could do so without it
	least       int        // how many of them found a node in every order
	nodes       map[string]int
}

// comparing is after how long no further class of pods is asked about: in a small
// cluster later, so that a slow machine leaves nothing out.
func (f *forecasting) comparing() time.Duration {
	switch {
	case f.size < scheduler.SampledFrom:
		return longPlayingTime
	case f.trial != nil:
		return f.trial.trial.Time
	}
	return comparingTime
}

// pod is one of the class.
func (k *equivalenceClass) pod() *corev1.Pod { return k.competitors[0].pod }

// unsaid notes something that could not be foretold.
func (f *forecasting) unsaid(text string) {
	switch f.told.Unknown {
	case "":
		f.told.Unknown = text
	default:
		f.told.Unknown += "; " + text
	}
}

// gather finds who ends, who comes back and who waits.
func (f *forecasting) gather(ctx context.Context) error {
	return f.scheduler.Hold(ctx, nil, func() error {
		f.size = len(f.scheduler.State.Nodes)
		budgets, unsure := f.budgets.Disruptions(), 0
		for _, uid := range f.supposed.Gone {
			pod := f.scheduler.State.Pods[uid]
			if pod == nil {
				f.told.Fates[uid] = plan.Fate{Outcome: plan.NotKnown, Why: "it no longer exists"}
				continue
			}
			fate := f.fateWithoutSuccessor(pod)
			fate.Budget = budgets.Evict(pod)
			f.told.Fates[uid] = fate
			if fate.Outcome == plan.NotKnown && plan.RecreationUnknown(pod) != "" {
				unsure++
			}
			if scheduler.Assigned(pod) {
				f.gone = append(f.gone, pod)
				if names := f.budgets.Taken(pod); len(names) > 0 {
					f.taken[uid] = names
				}
			}
			if fate.Outcome == "" {
				f.competitors = append(f.competitors, f.successor(pod))
			}
		}
		f.addWaiting()
		if f.trial != nil {
			f.trial.addTarget(f)
			f.trial.addStopped(f)
			f.trial.addRolled(f)
			addFollowing(f)
			for _, pod := range f.daemonPods {
				f.competitors = append(f.competitors, &pendingPod{pod: pod, following: true})
			}
		}
		if unsure > 0 && len(f.competitors) > 0 {
			f.unsaid(grammar.Plural(unsure, "pod") + " that may not be recreated would take capacity")
		}
		f.sortCompetitors()
		f.orderSets()
		return nil
	})
}
