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
	app     *App
	nth     int                // the newest wish; answers to older ones are dropped
	wish    plan.Action        // being planned; nil while none is
	cancel  context.CancelFunc // ends the planning
	again   string             // why it is planned again
	running []string           // what was confirmed and has no answer yet
	rights  rights
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
func (c *acts) plan(wish plan.Action) tea.Cmd { return c.planFor(wish, "") }

// planFor is plan with the reason why it is planned again, for the box.
func (c *acts) planFor(wish plan.Action, again string) tea.Cmd {
	actor := c.app.actor()
	if actor == nil {
		return nil
	}
	c.nth++
	ctx, cancel := context.WithCancel(c.app.ctx)
	c.wish, c.cancel, c.again = wish, cancel, again
	opened, nth := c.app.opened, c.nth
	return func() tea.Msg {
		defer cancel()
		plan, err := actor.Plan(ctx, wish)
		return plannedMsg{opened, nth, plan, err}
	}
}

// onPlanningKey takes the keys while a wish is planned.
func (c *acts) onPlanningKey(key tea.KeyPressMsg) {
	if pressed := key.String(); pressed == "esc" || pressed == "q" {
		c.cancel()
		c.wish = nil
		c.nth++
	}
}

// onPlanned asks whether to do it, or says why it cannot be done.
func (c *acts) onPlanned(msg plannedMsg) tea.Cmd {
	if msg.opened != c.app.opened || msg.nth != c.nth || c.wish == nil {
		return nil
	}
	c.wish = nil
	if msg.err != nil {
		return c.app.said.sayError(msg.err)
	}
	box := newConfirm(c.app, msg.plan, c.again)
	c.app.prompt, c.app.box, c.app.dialog = nil, nil, box
	return box.arms.begin(c.app)
}

// confirmed runs the plan of a box that was answered.
func (c *acts) confirmed(box *confirm, answer string) tea.Cmd {
	plan, actor := box.plan, c.app.actor()
	confirmed, err := plan.Confirm(box.question, answer, box.agreed)
	if err != nil {
		return c.app.said.sayError(err)
	}
	c.app.dialog = nil
	c.running = append(c.running, plan.Action.Name())
	ctx, opened := c.app.ctx, c.app.opened
	return func() tea.Msg {
		ran, err := actor.Run(ctx, confirmed)
		return ranMsg{opened, plan, ran, err}
	}
}

// onRan says what came of it. Where an object is another than was planned for, it
// is planned anew and asked again.
func (c *acts) onRan(msg ranMsg) tea.Cmd {
	if msg.opened != c.app.opened {
		return nil
	}
	if at := slices.Index(c.running, msg.plan.Action.Name()); at >= 0 {
		c.running = slices.Delete(c.running, at, at+1)
	}
	switch {
	case errors.Is(msg.err, plan.ErrChanged):
		return c.planFor(msg.plan.Action, changedWords(msg.plan, msg.ran))
	case msg.err != nil:
		return c.app.said.sayError(msg.err)
	case msg.ran.Job != 0:
		return nil // the message row follows it
	case msg.ran.Entry.Undo == nil:
		return c.app.said.say(c.app.observed.brief(done(msg.plan.Action.Name())))
	}
	return c.app.said.say(c.app.observed.brief(done(msg.plan.Action.Name()) + "; z undoes it"))
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
func (c *acts) actingWords() string {
	switch {
	case c.wish != nil:
		return "planning " + c.wish.Name() + "; esc leaves it"
	case len(c.running) > 0:
		return c.running[0] + ": kube-apiserver has not answered yet"
	}
	return c.app.jobs.jobsWords()
}
