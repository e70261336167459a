package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model/follow"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/confirm"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/edit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// acts are the changes of the cluster that the dashboard is making. An action is
// planned, then its box asks (confirm), then the plan runs.
type acts struct {
	app     *App
	nth     int                // of the newest action; answers to older ones are dropped
	action  plan.Action        // being planned; nil while none is
	cancel  context.CancelFunc // cancels the planning
	fix     *follow.Fix        // that the action is; nil for other actions
	asked   *plan.Plan         // the newest whose box was opened
	says    string             // what its box says first; "" is nothing
	again   string             // why it is planned again
	running []string           // confirmed plans without an answer yet
	rights  rights
}

type (
	// plannedMsg brings the plan of an action.
	plannedMsg struct {
		opened, nth int
		plan        *plan.Plan
		err         error
	}
	// ranMsg brings the result of a confirmed plan.
	ranMsg struct {
		opened int
		plan   *plan.Plan
		ran    *plan.Ran
		err    error
	}
)

// actor carries out actions; nil where nothing can be changed.
func (a *App) actor() Actor {
	if a.Cluster == nil {
		return nil
	}
	return a.Cluster.Actor()
}

// plan plans an action. Until the plan is there only esc and q work.
func (c *acts) plan(action plan.Action) tea.Cmd { return c.planFor(action, "") }

// change begins an action that changes the cluster: its missing arguments are
// typed, then it is planned.
func (c *acts) change(do keymap.Action, t page.Targets) tea.Cmd {
	t = change.Of(do, t)
	switch do {
	case keymap.Drain:
		if jobs := c.app.jobs.draining(t.Nodes); len(jobs) > 0 {
			return c.app.jobs.openDraining(jobs)
		}
	case keymap.Taint:
		return edit.Taints(&c.app.boxes, t.Nodes)
	case keymap.Label:
		return edit.Labels(&c.app.boxes, t)
	case keymap.Annotate:
		return edit.Annotations(&c.app.boxes, t)
	case keymap.Scale:
		return edit.Replicas(&c.app.boxes, change.Workload(t.Pods[0], "/scale"), t.Pods[0].Owner)
	}
	return c.plan(change.Planned(do, t, c.app.observed.At.UTC()))
}

// planFor is plan with the reason why it is planned again, for the box.
func (c *acts) planFor(action plan.Action, again string) tea.Cmd {
	actor := c.app.actor()
	if actor == nil {
		return nil
	}
	c.fix = nil
	if again == "" {
		c.says = ""
	}
	if step, ok := action.(page.Step); ok {
		action, c.says = step.Action, step.Says
	}
	if fix, ok := action.(follow.Fix); ok {
		c.fix, action = &fix, fix.Action
	}
	c.nth++
	ctx, cancel := context.WithCancel(c.app.ctx)
	c.action, c.cancel, c.again = action, cancel, again
	opened, nth := c.app.opened, c.nth
	return func() tea.Msg {
		defer cancel()
		plan, err := actor.Plan(ctx, action)
		return plannedMsg{opened, nth, plan, err}
	}
}

// onPlanningKey takes the keys while an action is planned.
func (c *acts) onPlanningKey(key tea.KeyPressMsg) {
	if pressed := key.String(); pressed == "esc" || pressed == "q" {
		c.cancel()
		c.action = nil
		c.nth++
	}
}

// onPlanned asks whether to run the plan, or says why there is none.
func (c *acts) onPlanned(msg plannedMsg) tea.Cmd {
	if msg.opened != c.app.opened || msg.nth != c.nth || c.action == nil {
		return nil
	}
	c.action = nil
	if msg.err != nil {
		return c.app.said.sayError(msg.err)
	}
	c.app.box, c.asked = nil, msg.plan
	return confirm.New(&c.app.boxes, msg.plan, msg.plan.Question(c.app.head.short, c.app.head.production()), c.again, c.says).Open()
}

// run carries out a plan that was confirmed.
func (c *acts) run(p *plan.Plan, confirmed plan.Confirmed) tea.Cmd {
	c.running = append(c.running, p.Action.Name())
	if c.fix != nil && c.asked == p {
		c.app.follows.begin(*c.fix, p)
	}
	ctx, actor, opened := c.app.ctx, c.app.actor(), c.app.opened
	return func() tea.Msg {
		ran, err := actor.Run(ctx, confirmed)
		return ranMsg{opened, p, ran, err}
	}
}

// onRan shows the result. Where an object has changed since the plan was made, the
// action is planned and asked again.
func (c *acts) onRan(msg ranMsg) tea.Cmd {
	if msg.opened != c.app.opened {
		return nil
	}
	if at := slices.Index(c.running, msg.plan.Action.Name()); at >= 0 {
		c.running = slices.Delete(c.running, at, at+1)
	}
	if msg.err != nil {
		action := msg.plan.Action
		if one := c.app.follows.of(msg.plan); one != nil {
			action = one.fix
		}
		c.app.follows.failed(msg.plan)
		if errors.Is(msg.err, plan.ErrChanged) {
			return c.planFor(action, changedWords(msg))
		}
		return c.app.said.sayError(msg.err)
	}
	said := c.sayDone(msg)
	return tea.Batch(said, c.app.follows.ran(msg.plan, msg.ran))
}

// sayDone says that a plan was carried out.
func (c *acts) sayDone(msg ranMsg) tea.Cmd {
	switch {
	case msg.ran.Job != 0:
		return nil // the message row shows its progress
	case msg.ran.Entry.Undo == nil, strings.HasPrefix(msg.plan.Action.Name(), "undo "):
		return c.app.said.say(c.app.observed.Brief(done(msg.plan.Action.Name()) + "."))
	}
	return c.app.said.say(c.app.observed.Brief(done(msg.plan.Action.Name()) + ". " + c.app.Keys.Of(keymap.Activity, keymap.Everywhere).First() + " opens Activity to undo it."))
}

// changedWords say which object changed, so that the plan was not run, and what was done before that.
func changedWords(msg ranMsg) string {
	what := "The object"
	if changed := new(plan.ChangedError); errors.As(msg.err, &changed) {
		what = changed.Target.Words()
	}
	words := what + " changed while you were reading. This is a new plan: read it and confirm again."
	if msg.ran == nil {
		return words
	}
	if done := msg.ran.Changed; len(done) > 0 {
		names := make([]string, 0, len(done))
		for _, change := range done {
			names = append(names, change.Target.Words())
		}
		words = "Done already: " + grammar.List(names, grammar.Few) + ". " + words
	}
	if len(msg.ran.Stopped) > 0 {
		words = grammar.Capital(strings.Join(msg.ran.Stopped, ", ")) + " was stopped. " + words
	}
	return words
}

// done is the name of an action once it is done: "Cordoned std-b-02".
func done(name string) string {
	verb, rest, _ := strings.Cut(name, " ")
	switch {
	case verb == "undo":
		verb = "undone:"
	case strings.HasSuffix(verb, "e"):
		verb += "d"
	default:
		verb += "ed"
	}
	return grammar.Capital(strings.TrimSpace(verb + " " + rest))
}

// actingWords are the message row's about running changes; "" without one.
func (c *acts) actingWords() string {
	switch {
	case c.action != nil:
		return "planning " + c.action.Name() + "; esc cancels"
	case len(c.running) > 0:
		return c.running[0] + ": kube-apiserver has not answered yet"
	}
	return cmp.Or(c.app.jobs.jobsWords(), c.app.follows.words())
}

// writesAllowedMsg says whether changes are now allowed in a read-only context.
type writesAllowedMsg struct {
	opened int
	err    error
}

// allowWrites asks whether to allow changes in a context that the settings make
// read-only, until it is left. --readonly cannot be lifted.
func (c *acts) allowWrites() tea.Cmd {
	actor := c.app.actor()
	switch {
	case actor == nil:
		return c.app.said.say("write: nothing can be changed here.")
	case actor.ReadOnly() == "":
		return c.app.said.say("write: changes are already allowed here; each asks first.")
	case c.app.ReadOnly:
		reason, _ := c.app.keyboard.lookOnly()
		return c.app.said.say("write: " + reason)
	}
	opened := c.app.opened
	return dialog.Ask(&dialog.YesNo{
		Host: &c.app.boxes, Title: "Allow changes", Does: "allow changes",
		Lines: []string{
			"The settings make this context read-only. Allow changes until you",
			"switch to another context or quit? Each change still asks first.",
		},
		Run: func() tea.Cmd {
			return func() tea.Msg { return writesAllowedMsg{opened, actor.Raise()} }
		},
	})
}

// onWritesAllowed shows the result.
func (c *acts) onWritesAllowed(msg writesAllowedMsg) tea.Cmd {
	switch {
	case msg.opened != c.app.opened:
		return nil
	case msg.err != nil:
		return c.app.said.sayError(msg.err)
	}
	return c.app.said.say("Changes are now allowed here; each asks first.")
}
