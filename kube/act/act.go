// Package act carries out actions: it reads the objects, plans, has the API server
// try the plan as a dry run, carries out what was confirmed, watches it until it is
// done, and keeps how to undo it.
package act

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Manager is the name that changes are made under (metadata.managedFields).
const Manager = "fathom"

// Errors of an Actor; those that its users act on are the model's.
var (
	ErrReadOnly = plan.ErrReadOnly
	ErrChanged  = plan.ErrChanged

	// ErrUnsent is wrapped by errors of a plan of which nothing was sent.
	ErrUnsent = errors.New("nothing was sent")
)

// State is what an Actor knows of the cluster beside what it reads live.
type State interface {
	// Newest is the newest snapshot; its Revision is 0 before the first.
	Newest() *model.Snapshot
	// Forecast says what the scheduler would make of a supposed state.
	Forecast(ctx context.Context, supposed plan.Hypothesis) (*plan.Forecast, error)
}

// Options are what an Actor works with.
type Options struct {
	State   State
	Context string // the cluster's, for the activity log
	User    string
	// Reader reads, DryRunner sends dry runs only. Writer sends what was confirmed
	// only: each request's context carries the confirmation (Confirmation).
	Reader, DryRunner, Writer kubernetes.Interface
	ReadOnly                  bool // nothing is sent, neither dry runs nor changes, for the Actor's life
	ReadOnlyContext           bool // nothing is sent until Raise
	Log                       *Log // nil: what is done is kept for this run only
	Clock                     clock.WithTicker
}

// Actor carries out actions on one cluster. Its methods may be called concurrently.
type Actor struct {
	Options

	access accessReviews

	activity activity
	jobs     registry

	mu     sync.Mutex
	raised bool // the context's setting does not count any more
}

// New makes an Actor. Close ends it.
func New(options Options) *Actor {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	a := &Actor{Options: options}
	a.access.options, a.activity.options = &a.Options, &a.Options
	a.jobs.running, a.jobs.end = context.WithCancel(context.Background())
	a.activity.remember()
	return a
}

const (
	// mostPlans is how often an action is planned at most while its objects change.
	mostPlans = 5
	// untilRead is how long a newer snapshot is waited for where one lacks pods.
	untilRead = 300 * time.Millisecond
)

// Plan reads the objects of the action, checks it, simulates what follows and has
// the API server try it as a dry run. Nothing is changed. Where an object changes
// meanwhile, as when a controller follows up on a change that was just made, or where the
// snapshot lacks new pods, all of that is done again: nobody has read the plan yet. Its
// errors are those of plan.Action, the API server's, or ErrChanged if the objects keep changing.
func (a *Actor) Plan(ctx context.Context, action plan.Action) (p *plan.Plan, err error) {
	for range mostPlans {
		p, err = a.planOnce(ctx, action)
		switch {
		case ctx.Err() != nil:
			return p, err
		case errors.Is(err, plan.ErrUnread):
			select {
			case <-a.Clock.After(untilRead):
			case <-ctx.Done():
			}
		case !errors.Is(err, ErrChanged):
			return p, err
		}
	}
	return p, err
}

// planOnce plans the action on its objects as they are now.
func (a *Actor) planOnce(ctx context.Context, action plan.Action) (*plan.Plan, error) {
	facts, err := a.facts(ctx, action)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", action.Name(), err)
	}
	plan, err := action.Plan(facts)
	if err != nil {
		return nil, err
	}
	if err := a.simulate(ctx, plan, facts.Snapshot); err != nil {
		return nil, fmt.Errorf("simulate %s: %w", action.Name(), err)
	}
	if err := a.dryRun(ctx, plan); err != nil {
		return nil, fmt.Errorf("dry run of %s: %w", action.Name(), err)
	}
	return plan, nil
}

// Run stops the jobs that a confirmed plan stops, makes its changes, one after the
// other, and then starts the job that evicts its pods, which continues by itself. The
// result has the changes that were made also if a later one failed, or if the API server
// left out a part of one; no pod is evicted then. If an object changed meanwhile the
// error is ErrChanged, and nothing was overwritten.
func (a *Actor) Run(ctx context.Context, confirmed plan.Confirmed) (*plan.Ran, error) {
	p := confirmed.Plan()
	if p == nil {
		return nil, fmt.Errorf("run plan: %w", plan.ErrNotConfirmed)
	}
	if err := a.mayRun(p); err != nil {
		return nil, err
	}
	ctx = withConfirmation(ctx, confirmed, nil)
	ran := &plan.Ran{}
	if err := a.verify(ctx, p); err != nil {
		return ran, err
	}
	failed := a.halt(ctx, p)
	if failed != nil {
		return ran, failed
	}
	for _, stopped := range p.Stops {
		ran.Stopped = append(ran.Stopped, stopped.Name)
	}
	for _, change := range p.Changes {
		var made plan.Change
		made, failed = a.send(ctx, a.Writer, change, nil)
		if len(made.Edits) > 0 {
			ran.Changed = append(ran.Changed, made)
		}
		if failed != nil {
			break
		}
	}
	if failed != nil {
		failed = withStopped(failed, ran)
		ran.Entry = a.note(p, ran, failed)
		return ran, failed
	}
	begun := a.enlist(confirmed)
	if begun != nil {
		ran.Job = begun.id
	}
	ran.Entry = a.note(p, ran, nil)
	if begun != nil {
		a.start(begun, confirmed)
	}
	return ran, nil
}

// failedWords say why a change that failed cannot be undone.
func failedWords(ran *plan.Ran, failed error) string {
	switch {
	case len(ran.Changed) > 0:
	case mayBeMade(failed) && !errors.Is(failed, ErrChanged) && !errors.Is(failed, plan.ErrNotPossible), errors.Is(failed, errOtherAnswer):
		return "It failed; the change may still have been made."
	default:
		return "It failed, and nothing was changed."
	}
	return "It failed partway, and what was changed cannot be undone."
}

// note keeps what was done.
func (a *Actor) note(p *plan.Plan, ran *plan.Ran, failed error) plan.Entry {
	entry := plan.Entry{
		At: a.Clock.Now(), User: a.User, Context: a.Context,
		Did: p.Action.Name(), Result: "done", OK: failed == nil, Undo: p.Undo, Job: ran.Job,
	}
	if p.Undo == nil {
		entry.Final = p.UndoSays
	}
	if ran.Job != 0 {
		entry.Result = stillRuns // its job says more in the end
	}
	if failed != nil {
		entry.Result, entry.Undo, entry.Final = withoutValues(failed.Error(), p.Changes), nil, failedWords(ran, failed)
		if len(ran.Changed) > 0 && p.Undo != nil {
			entry.Undo, entry.Final = plan.UndoOf(p.Action, ran.Changed), ""
		}
	}
	if failed == nil {
		a.activity.takenBack(p.Action)
	}
	return a.activity.record(entry)
}
