package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// acts is what the dashboard is doing to the cluster. A wish is planned, then
// its box asks (confirm), then it runs.
type acts struct {
	nth     int                // the newest wish; answers to older ones are dropped
	wish    plan.Action        // being planned; nil while none is
	cancel  context.CancelFunc // ends the planning
	again   string             // why it is planned again
	running []string           // what was confirmed and has no answer yet
	rights  rights

	jobs     []*plan.Progress // those that end pods, the newest first
	revision int              // of the jobs
	leaving  bool             // ctrl-c was pressed while a job runs, and no other key since
}

type (
	// plannedMsg brings the plan of a wish.
	plannedMsg struct {
		opened, nth int
		plan        *plan.Plan
		err         error
	}
	// ranMsg brings what came of a plan that was confirmed.
	ranMsg struct {
		opened int
		plan   *plan.Plan
		ran    *plan.Ran
		err    error
	}
)

// actor is what carries out wishes; nil where nothing can be changed.
func (a *App) actor() Actor {
	if a.Cluster == nil {
		return nil
	}
	return a.Cluster.Actor()
}

// plan asks what a wish would do. Until the answer is there only esc and q work.
func (a *App) plan(wish plan.Action) tea.Cmd { return a.planFor(wish, "") }

// planFor is plan with the reason why it is planned again, for the box.
func (a *App) planFor(wish plan.Action, again string) tea.Cmd {
	actor := a.actor()
	if actor == nil {
		return nil
	}
	a.acts.nth++
	ctx, cancel := context.WithCancel(a.ctx)
	a.acts.wish, a.acts.cancel, a.acts.again = wish, cancel, again
	opened, nth := a.opened, a.acts.nth
	return func() tea.Msg {
		defer cancel()
		plan, err := actor.Plan(ctx, wish)
		return plannedMsg{opened, nth, plan, err}
	}
}

// onPlanningKey takes the keys while a wish is planned.
func (a *App) onPlanningKey(key tea.KeyPressMsg) {
	if pressed := key.String(); pressed == "esc" || pressed == "q" {
		a.acts.cancel()
		a.acts.wish = nil
		a.acts.nth++
	}
}

// onPlanned asks whether to do it, or says why it cannot be done.
func (a *App) onPlanned(msg plannedMsg) tea.Cmd {
	if msg.opened != a.opened || msg.nth != a.acts.nth || a.acts.wish == nil {
		return nil
	}
	a.acts.wish = nil
	if msg.err != nil {
		return a.sayError(msg.err)
	}
	box := newConfirm(a, msg.plan, a.acts.again)
	a.prompt, a.box, a.dialog = nil, nil, box
	return box.arms.begin(a)
}

// confirmed runs the plan of a box that was answered.
func (a *App) confirmed(box *confirm, answer string) tea.Cmd {
	plan, actor := box.plan, a.actor()
	confirmed, err := plan.Confirm(box.question, answer, box.agreed)
	if err != nil {
		return a.sayError(err)
	}
	a.dialog = nil
	a.acts.running = append(a.acts.running, plan.Action.Name())
	ctx, opened := a.ctx, a.opened
	return func() tea.Msg {
		ran, err := actor.Run(ctx, confirmed)
		return ranMsg{opened, plan, ran, err}
	}
}

// onRan says what came of it. Where an object is another than was planned for, it
// is planned anew and asked again.
func (a *App) onRan(msg ranMsg) tea.Cmd {
	if msg.opened != a.opened {
		return nil
	}
	if at := slices.Index(a.acts.running, msg.plan.Action.Name()); at >= 0 {
		a.acts.running = slices.Delete(a.acts.running, at, at+1)
	}
	switch {
	case errors.Is(msg.err, plan.ErrChanged):
		return a.planFor(msg.plan.Action, changedWords(msg.plan, msg.ran))
	case msg.err != nil:
		return a.sayError(msg.err)
	case msg.ran.Job != 0:
		return nil // the message row follows it
	case msg.ran.Entry.Undo == nil:
		return a.say(a.brief(done(msg.plan.Action.Name())))
	}
	return a.say(a.brief(done(msg.plan.Action.Name()) + "; z undoes it"))
}

// changedWords say which object kept a plan from being run.
func changedWords(plan *plan.Plan, ran *plan.Ran) string {
	what := "What it is about"
	if at := madeOf(ran); at < len(plan.Changes) {
		what = plan.Changes[at].Target.Words()
	}
	words := what + " changed while you read. The plan was made again: read it and confirm again."
	if ran != nil && len(ran.Stopped) > 0 {
		words = grammar.Capital(strings.Join(ran.Stopped, ", ")) + " was stopped. " + words
	}
	return words
}

func madeOf(ran *plan.Ran) int {
	if ran == nil {
		return 0
	}
	return len(ran.Changed)
}

// done is the name of an action once it is done: "cordoned std-b-02".
func done(name string) string {
	verb, rest, _ := strings.Cut(name, " ")
	switch {
	case verb == "undo":
		verb = "undid"
	case strings.HasSuffix(verb, "e"):
		verb += "d"
	default:
		verb += "ed"
	}
	return strings.TrimSpace(verb + " " + rest)
}

// actingWords are what the message row says of what is being done; "" if nothing is.
func (a *App) actingWords() string {
	switch {
	case a.acts.wish != nil:
		return "planning " + a.acts.wish.Name() + "; esc leaves it"
	case len(a.acts.running) > 0:
		return a.acts.running[0] + ": kube-apiserver has not answered yet"
	}
	return a.jobsWords()
}
