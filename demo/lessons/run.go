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

// World is what a lesson does with a cluster.
type World interface {
	// Client reads and writes the cluster.
	Client() kubernetes.Interface
	// Hold keeps the scheduler from deciding about pods, or lets it go on.
	Hold(on bool)
	// Silence cuts the kubelet of a node off, or lets it work again.
	Silence(node string, on bool)
	// Fail has a node's container runtime fail, so that it is NotReady, or work again.
	Fail(node string, on bool)
	// Lists are the objects that expressions speak of, by variable, as JSON values.
	Lists() (map[string][]any, error)
	// Ended are the pods that ended since the cluster began, as JSON values.
	Ended() []any
}

// Run is a lesson that is being taken.
type Run struct {
	lesson *Lesson
	world  World
	clock  clock.WithTicker
	goal   cel.Program
	now    cel.Program // nil: the lesson has none
	spoilt cel.Program // nil: nothing spoils it
	until  cel.Program // of the step; nil: the next may begin at once

	mu      sync.Mutex
	state   State
	went    map[int]time.Time      // when each step went on, by number; 0 is the lesson
	struck  map[int][]undo         // the faults that happened, by index, and what takes each back
	owed    []runtime.RawExtension // made after the answer
	done    bool                   // what a student does in the step was done for them
	broken  error                  // what could not be made or done by itself
	changed chan struct{}          // closed at the next change
}

// State is how far a lesson is.
type State struct {
	Revision int // grows with each change
	Lesson   *Lesson
	Step     int // counted from 0
	Answered int // of the step's prediction, counted from 1; 0 before, Skipped without one
	Right    int // predictions that were right, in all
	Asked    int // predictions that were answered or skipped, in all
	Hints    int // that were given for the step
	Helped   int // hints that were given in all
	Faults   []string
	Ready    bool   // the next step may begin
	Now      string // how far the goal is
	Reached  bool
	Spoilt   bool
	Heading  int    // the step that is gone to, counted from 0; 0 where none is
	Short    []int  // steps before it that did not come to their end, counted from 1
	Led      bool   // a trainer had a hand in it: to reach the goal is no student's own
	Trouble  string // why the state cannot be judged; "" while it can
}

// every is how often the state is judged.
const every = 250 * time.Millisecond

// Begin makes the lesson's cluster and its first step. The rest goes on until ctx ends.
func Begin(ctx context.Context, lesson *Lesson, world World, c clock.WithTicker) (*Run, error) {
	return BeginAt(ctx, lesson, world, c, 1)
}

// BeginAt is Begin for who goes to a step, counted from 1: those before it are
// taken by themselves, one after the other.
func BeginAt(ctx context.Context, lesson *Lesson, world World, c clock.WithTicker, step int) (*Run, error) {
	if step < 1 || step > len(lesson.Steps) {
		return nil, fmt.Errorf("begin lesson %s: it has no step %d, but %d", lesson.Name, step, len(lesson.Steps))
	}
	r := &Run{lesson: lesson, world: world, clock: c, struck: map[int][]undo{}, changed: make(chan struct{})}
	r.went = map[int]time.Time{0: c.Now()}
	r.state.Lesson, r.state.Heading, r.state.Led = lesson, step-1, step > 1
	if err := r.compile(); err != nil {
		return nil, err
	}
	for _, node := range lesson.Nodes {
		if err := makeNode(ctx, world.Client(), node); err != nil {
			return nil, fmt.Errorf("begin lesson %s: %w", lesson.Name, err)
		}
	}
	if err := r.enter(ctx, 0); err != nil {
		return nil, fmt.Errorf("begin lesson %s: %w", lesson.Name, err)
	}
	go func() {
		defer utilruntime.HandleCrash()
		r.watch(ctx)
	}()
	return r, nil
}

func (r *Run) compile() (err error) {
	if r.goal, err = compile(r.lesson.Goal.When, truth); err != nil {
		return err
	}
	if r.lesson.Goal.Now != "" {
		if r.now, err = compile(r.lesson.Goal.Now, words); err != nil {
			return err
		}
	}
	if r.lesson.Spoilt != nil {
		r.spoilt, err = compile(r.lesson.Spoilt.When, truth)
	}
	return err
}

// enter begins a step: the scheduler is held while its prediction is open.
func (r *Run) enter(ctx context.Context, step int) (err error) {
	s := &r.lesson.Steps[step]
	r.until = nil
	if s.Until != "" {
		if r.until, err = compile(s.Until, truth); err != nil {
			return err
		}
	}
	r.world.Hold(s.Predict != nil)
	r.state.Step, r.state.Answered, r.state.Hints, r.done = step, 0, 0, false
	if s.Predict == nil {
		r.went[step+1] = r.clock.Now()
	}
	if s.Predict != nil && s.Predict.Unseen {
		r.owed = s.Objects
		return nil
	}
	return makeAll(ctx, r.world.Client(), s.Objects)
}

// State is how far it is, and a channel that is closed at the next change.
func (r *Run) State() (State, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := r.state
	state.Faults, state.Short = slices.Clone(state.Faults), slices.Clone(state.Short)
	return state, r.changed
}

// tell tells of a change; under the lock.
func (r *Run) tell() {
	r.state.Revision++
	close(r.changed)
	r.changed = make(chan struct{})
}

// Answer answers the step's prediction, counted from 1, and lets the scheduler
// go on. A second answer, or one that is none, changes nothing.
func (r *Run) Answer(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.lesson.Steps[r.state.Step].Predict
	if p == nil || r.state.Answered != 0 || r.state.Heading != 0 || n < 1 || n > len(p.Answers) {
		return
	}
	r.state.Asked++
	if n == p.Right {
		r.state.Right++
	}
	r.answered(n)
	r.tell()
}

// Skipped stands for the answer to a prediction that was skipped.
const Skipped = -1

// Skip leaves the step's prediction without an answer, and lets the scheduler go
// on: it counts as one that was not right.
func (r *Run) Skip() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lesson.Steps[r.state.Step].Predict == nil || r.state.Answered != 0 || r.state.Heading != 0 {
		return
	}
	r.state.Asked++
	r.answered(Skipped)
	r.tell()
}

// answered lets the scheduler go on after an answer; under the lock.
func (r *Run) answered(n int) {
	r.state.Answered = n
	r.went[r.state.Step+1] = r.clock.Now()
	r.world.Hold(false)
}

// Hint gives one more hint for the step, if one is left.
func (r *Run) Hint() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Heading == 0 && r.state.Hints < len(r.lesson.HintsOf(r.state.Step)) {
		r.state.Hints++
		r.state.Helped++
		r.tell()
	}
}

// Next begins the next step, if it may begin.
func (r *Run) Next(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.state.Ready || r.state.Heading != 0 || r.state.Step+1 >= len(r.lesson.Steps) {
		return nil
	}
	err := r.next(ctx)
	r.tell()
	return err
}

// next enters the next step; under the lock.
func (r *Run) next(ctx context.Context) error {
	r.state.Ready = false
	return r.enter(ctx, r.state.Step+1)
}
