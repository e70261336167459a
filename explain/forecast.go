package explain

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

const (
	// mostOrders is how many orders of coming back are played at most.
	mostOrders = 40
	// playingTime is after how long no further order is begun, and
	// longPlayingTime where fewer than fewOrders of a small cluster are played.
	playingTime, longPlayingTime = 300 * time.Millisecond, 2 * time.Second
	fewOrders                    = 8
	// longestPlay is after how long an order is given up.
	longestPlay = 3 * time.Second
	// comparingTime is after how long no further kind of pods is asked about or
	// compared in clusters where the scheduler looks at some of the nodes only.
	comparingTime = 300 * time.Millisecond
)

// Forecast says what the scheduler would make of a supposed state: what becomes
// of the pods that end, and which pending pods gain or lose a node. Pods that come
// back compete with each other and with those that wait, in an order that nobody
// knows: several are played, on copies of the state. The lock is held for one pod
// at a time, so the real state may move between them.
func (e *Engine) Forecast(ctx context.Context, supposed plan.Supposed) (*plan.Forecast, error) {
	f := &forecasting{Engine: e, supposed: supposed, told: &plan.Forecast{Fates: map[types.UID]plan.Fate{}}}
	for _, do := range []func(context.Context) error{f.gather, f.survey, f.playAll} {
		if err := do(ctx); err != nil {
			return nil, f.failed(err)
		}
	}
	f.tellFates()
	f.tellAdmitted()
	if err := f.tellBarred(ctx); err != nil {
		return nil, f.failed(err)
	}
	return f.told, nil
}

// failed tells an error of a forecast; those of the context stay as they are.
func (f *forecasting) failed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("forecast: %w", err)
}

// forecasting is a forecast in the making.
type forecasting struct {
	*Engine
	supposed plan.Supposed
	told     *plan.Forecast
	size     int // nodes, when it began

	gone   []*corev1.Pod // those that end and take room, in the order of the plan
	comers []*pendingPod // who looks for a node then, in the order of the queue
	kinds  []*kindComing // the same by kind
}

// kindComing is pending pods that one answer holds for.
type kindComing struct {
	key     string
	comers  []*pendingPod
	waits   bool     // they wait now; else they are successors of pods that end
	now     bool     // they fit a node in the present state
	asked   bool     // room was asked for: there was time
	room    []string // the nodes that they fit when nobody has come yet
	open    string   // why that could not be decided
	skips   bool     // they find no room whatever the order, or were not tried
	untried bool     // there was no time to ask whether they fit
	least   int      // how many of them found a node in every order
	nodes   map[string]int
}

// comparing is after how long no further kind of pods is asked about: in a small
// cluster later, so that a slow machine leaves nothing out.
func (f *forecasting) comparing() time.Duration {
	if f.size < sampled {
		return longPlayingTime
	}
	return comparingTime
}

// pod is one of the kind.
func (k *kindComing) pod() *corev1.Pod { return k.comers[0].pod }

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
	return f.hold(ctx, nil, func() error {
		f.told.Revision, f.size = f.revision, len(f.nodes)
		budgets, unsure := f.newDisruptions(), 0
		for _, uid := range f.supposed.Gone {
			pod := f.pods[uid]
			if pod == nil {
				f.told.Fates[uid] = plan.Fate{Outcome: plan.NotKnown, Why: "it is not there any more"}
				continue
			}
			fate := f.fateWithoutSuccessor(pod)
			fate.Budget = budgets.evict(pod)
			f.told.Fates[uid] = fate
			if fate.Outcome == plan.NotKnown && plan.RecreationUnknown(pod) != "" {
				unsure++
			}
			if onNode(pod) {
				f.gone = append(f.gone, pod)
			}
			if fate.Outcome == "" {
				f.comers = append(f.comers, f.successor(pod))
			}
		}
		f.addWaiting()
		if unsure > 0 && len(f.comers) > 0 {
			f.unsaid(grammar.Plural(unsure, "pod") + " that may not be recreated would take room")
		}
		f.sortComers()
		f.orderSets()
		return nil
	})
}

// hold runs do under the lock, in the simulated state; nil: in the real one.
// A panic comes back as an error.
func (e *Engine) hold(ctx context.Context, on *simulatedState, do func() error) (err error) {
	release, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	defer func() {
		if r := recover(); r != nil {
			err = newPanicked(r)
		}
		e.overlay.supposed = nil
	}()
	e.settle(ctx)
	if on == nil {
		return do()
	}
	defer on.enter()()
	return do()
}
