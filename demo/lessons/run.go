package lessons

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
)

// Cluster is the embedded cluster, as lessons and faults use it.
type Cluster interface {
	// Client reads and writes the cluster.
	Client() kubernetes.Interface
	// Hold pauses the scheduler, or lets it continue.
	Hold(on bool)
	// Silence stops the kubelet of a node, or starts it again.
	Silence(node string, on bool)
	// Fail makes the container runtime of a node fail, so that it is NotReady, or work again.
	Fail(node string, on bool)
	// Lists are the objects for expressions, by variable, as JSON values.
	Lists() (map[string][]any, error)
	// Ended are the pods that were deleted since the cluster started, as JSON values.
	Ended() []any
}

// Run is a lesson that is being taken.
type Run struct {
	lesson  *Lesson
	cluster Cluster
	clock   clock.WithTicker
	goal    cel.Program
	now     cel.Program // nil: none
	failed  cel.Program // nil: none
	until   cel.Program // of the step; nil: none

	mu             sync.Mutex
	state          State
	startedAt      map[int]time.Time      // by step number: its start or its answer; 0 is the lesson
	activeFaults   map[int][]undo         // by index of the fault: how to revert it
	pendingObjects []runtime.RawExtension // created after the answer
	stepDone       bool                   // lead has made the student's changes of this step
	broken         error                  // of objects or faults that could not be applied
	changed        chan struct{}          // closed at the next change
}

// State is how far a lesson is.
type State struct {
	Revision   int // grows with each change
	Lesson     *Lesson
	Step       int // counted from 0
	Answered   int // of the step's prediction, counted from 1; 0 before, Skipped without one
	Right      int // predictions that were right, in all
	Asked      int // predictions that were answered or skipped, in all
	Hints      int // given for the step
	HintsGiven int // in all
	Faults     []string
	Ready      bool   // the next step may begin
	Now        string // how far the goal is
	Reached    bool
	Failed     bool
	GoingTo    int    // the step to go to, counted from 0; 0 is none
	Unfinished []int  // steps before it that did not finish, counted from 1
	Led        bool   // an instructor helped: reaching the goal does not count
	Trouble    string // why the state cannot be evaluated; "" if it can
}

// evaluateEvery is the period of evaluations.
const evaluateEvery = 250 * time.Millisecond

// BeginAt creates the nodes of the lesson and begins at a step, counted from 1: the steps
// before it are taken automatically. The lesson runs until ctx ends.
func BeginAt(ctx context.Context, lesson *Lesson, cluster Cluster, c clock.WithTicker, step int) (*Run, error) {
	if step < 1 || step > len(lesson.Steps) {
		return nil, fmt.Errorf("start lesson %s: step %d does not exist, it has %d steps", lesson.Name, step, len(lesson.Steps))
	}
	r := &Run{lesson: lesson, cluster: cluster, clock: c, activeFaults: map[int][]undo{}, changed: make(chan struct{})}
	r.startedAt = map[int]time.Time{0: c.Now()}
	r.state.Lesson, r.state.GoingTo, r.state.Led = lesson, step-1, step > 1
	if err := r.compile(); err != nil {
		return nil, err
	}
	for _, node := range lesson.Nodes {
		if err := createNode(ctx, cluster.Client(), node); err != nil {
			return nil, fmt.Errorf("start lesson %s: %w", lesson.Name, err)
		}
	}
	if err := r.enter(ctx, 0); err != nil {
		return nil, fmt.Errorf("start lesson %s: %w", lesson.Name, err)
	}
	go func() {
		defer utilruntime.HandleCrash()
		r.watch(ctx)
	}()
	return r, nil
}

func (r *Run) compile() (err error) {
	if r.goal, err = compile(r.lesson.Goal.When, boolResult); err != nil {
		return err
	}
	if r.lesson.Goal.Now != "" {
		if r.now, err = compile(r.lesson.Goal.Now, textResult); err != nil {
			return err
		}
	}
	if r.lesson.Failed != nil {
		r.failed, err = compile(r.lesson.Failed.When, boolResult)
	}
	return err
}

// enter starts a step. The scheduler is paused while its prediction is open.
func (r *Run) enter(ctx context.Context, step int) (err error) {
	s := &r.lesson.Steps[step]
	r.until = nil
	if s.Until != "" {
		if r.until, err = compile(s.Until, boolResult); err != nil {
			return err
		}
	}
	r.cluster.Hold(s.Predict != nil)
	r.state.Step, r.state.Answered, r.state.Hints, r.stepDone = step, 0, 0, false
	if s.Predict == nil {
		r.startedAt[step+1] = r.clock.Now()
	}
	if s.Predict != nil && s.Predict.Unseen {
		r.pendingObjects = s.Objects
		return nil
	}
	return createAll(ctx, r.cluster.Client(), s.Objects)
}

// State is how far it is, and a channel that is closed at the next change.
func (r *Run) State() (State, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := r.state
	state.Faults, state.Unfinished = slices.Clone(state.Faults), slices.Clone(state.Unfinished)
	return state, r.changed
}

// notify wakes those who wait for a change. The lock is held.
func (r *Run) notify() {
	r.state.Revision++
	close(r.changed)
	r.changed = make(chan struct{})
}

// Answer answers the prediction of the step, counted from 1, and lets the scheduler
// continue. A second answer, or an invalid one, changes nothing.
func (r *Run) Answer(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.lesson.Steps[r.state.Step].Predict
	if p == nil || r.state.Answered != 0 || r.state.GoingTo != 0 || n < 1 || n > len(p.Answers) {
		return
	}
	r.state.Asked++
	if n == p.Right {
		r.state.Right++
	}
	r.answered(n)
	r.notify()
}

// Skipped stands for the answer to a prediction that was skipped.
const Skipped = -1

// Skip leaves the prediction of the step without an answer and lets the scheduler
// continue. It counts as not correct.
func (r *Run) Skip() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lesson.Steps[r.state.Step].Predict == nil || r.state.Answered != 0 || r.state.GoingTo != 0 {
		return
	}
	r.state.Asked++
	r.answered(Skipped)
	r.notify()
}

// answered lets the scheduler continue after an answer. The lock is held.
func (r *Run) answered(n int) {
	r.state.Answered = n
	r.startedAt[r.state.Step+1] = r.clock.Now()
	r.cluster.Hold(false)
}

// Hint gives one more hint for the step, if one is left.
func (r *Run) Hint() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.GoingTo == 0 && r.state.Hints < len(r.lesson.HintsOf(r.state.Step)) {
		r.state.Hints++
		r.state.HintsGiven++
		r.notify()
	}
}

// Next starts the next step, if it may start.
func (r *Run) Next(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.state.Ready || r.state.GoingTo != 0 || r.state.Step+1 >= len(r.lesson.Steps) {
		return nil
	}
	err := r.next(ctx)
	r.notify()
	return err
}

// next enters the next step. The lock is held.
func (r *Run) next(ctx context.Context) error {
	r.state.Ready = false
	return r.enter(ctx, r.state.Step+1)
}
