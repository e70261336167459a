package session

import (
	"cmp"
	"context"
	"path/filepath"
	"sync/atomic"

	"github.com/adrg/xdg"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// taking is a lesson that is taken, as the dashboard needs it.
type taking struct {
	run        *lessons.Run
	number, of int
	next       *lessons.Lesson // after it; nil where none is

	trouble atomic.Pointer[string] // why the progress is not kept; nil while it is
}

var _ lesson.Lesson = (*taking)(nil)

// State implements lesson.Lesson.
func (t *taking) State() lesson.State {
	state, _ := t.run.State()
	return t.shown(&state)
}

// shown is a state of the lesson, as the dashboard needs it.
func (t *taking) shown(state *lessons.State) lesson.State {
	taken := state.Lesson
	step, hints := &taken.Steps[state.Step], taken.HintsOf(state.Step)
	shown := lesson.State{
		Revision: state.Revision, Number: t.number, Of: t.of, Title: taken.Title, Story: taken.Story,
		Step: state.Step + 1, Steps: len(taken.Steps), Say: step.Say, Answered: state.Answered,
		Faults: state.Faults, Goal: taken.Goal.Says, Now: state.Now,
		Hints: hints[:state.Hints], HintsLeft: len(hints) - state.Hints,
		Ready: state.Ready, Reached: state.Reached, Link: taken.Link,
		RightSoFar: state.Right, AskedSoFar: state.Asked, Unfinished: state.Unfinished, Led: state.Led, Trouble: state.Trouble,
	}
	if t.next != nil {
		shown.Next, shown.NextTitle = t.next.Name, t.next.Title
	}
	for i := range taken.Steps {
		shown.Outline = append(shown.Outline, taken.Steps[i].Say)
	}
	if state.GoingTo > 0 {
		shown.GoingTo = state.GoingTo + 1
	}
	if why := t.trouble.Load(); why != nil {
		shown.Trouble = cmp.Or(shown.Trouble, *why)
	}
	if p := step.Predict; p != nil {
		shown.Question, shown.Answers = p.Question, p.Answers
		if state.Answered != 0 {
			shown.Right, shown.Because, shown.Foretold = p.Right, p.Because, step.Until != ""
		}
	}
	if state.Failed {
		shown.Failed = taken.Failed.Says
	}
	if state.Reached {
		shown.Learned = taken.Learned
	}
	return shown
}

// Changed implements lesson.Lesson.
func (t *taking) Changed(ctx context.Context, revision int) error {
	for {
		state, changed := t.run.State()
		if state.Revision != revision {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Answer implements lesson.Lesson.
func (t *taking) Answer(n int) { t.run.Answer(n) }

// Skip implements lesson.Lesson.
func (t *taking) Skip() { t.run.Skip() }

// Hint implements lesson.Lesson.
func (t *taking) Hint() { t.run.Hint() }

// Next implements lesson.Lesson.
func (t *taking) Next(ctx context.Context) error { return t.run.Next(ctx) }

// unkept takes what went wrong with keeping the progress, for the panel.
func (t *taking) unkept(err error) {
	why := terminal.OneLine(err.Error())
	t.trouble.Store(&why)
}

// LessonBook is where the progress is kept.
func LessonBook() *lessons.Book {
	return lessons.NewBook(filepath.Join(xdg.StateHome, "fathom", "lessons.json"), clock.RealClock{})
}
