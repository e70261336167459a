package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/activity"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/unread"
)

// keyboard runs the actions of keys, the mouse and pastes on the current page.
type keyboard struct{ app *App }

// settler is a view that keeps rows of vanished objects until the next key.
type settler interface{ Settle() }

// onKey runs the action of a key on the current page, box or input.
func (k *keyboard) onKey(key tea.KeyPressMsg) tea.Cmd {
	k.app.touched = true
	k.app.said.text = ""
	leaving := k.app.jobs.leaving
	k.app.jobs.leaving = false
	switch {
	case key.String() == "ctrl+c" && k.app.box == nil && k.app.dialog == nil:
		return k.app.jobs.quit(leaving)
	case k.app.acts.action != nil:
		k.app.acts.onPlanningKey(key)
		return nil
	case k.app.dialog != nil:
		return k.app.dialog.Key(key)
	case k.app.box != nil:
		k.app.boxes.onBoxKey(key)
		return nil
	case k.app.prompt != nil:
		return k.app.prompt.Key(key)
	case k.app.lesson.Entered:
		return k.app.lessons.onLessonKey(key)
	}
	v := k.app.history.top()
	b, ok := k.app.Keys.At(key.String(), k.placesOf(v))
	if !ok {
		return k.stray(key.String(), v)
	}
	cmd := k.do(b, v)
	if s, ok := v.(settler); ok {
		s.Settle()
	}
	return cmd
}

// do runs an action, or says why it is not available.
func (k *keyboard) do(b keymap.Binding, v page.View) tea.Cmd {
	if k.app.small() && b.Do != keymap.Close && b.Do != keymap.Quit {
		return nil
	}
	if k.app.hides(v) && (b.Where&keymap.Everywhere == 0 || b.Do == keymap.Copy) {
		return k.app.said.say(strings.TrimSpace(b.Label+" "+b.Foot) + ": " + page.HiddenWords + ".")
	}
	if reason := k.off(b.Do, v); reason != "" {
		return k.app.said.say(strings.TrimSpace(b.Label+" "+b.Foot) + ": " + reason)
	}
	if cmd, done := k.doAnywhere(b.Do); done {
		return cmd
	}
	if slices.Contains(change.Actions, b.Do) {
		return k.app.acts.change(b.Do, page.TargetsOf(v))
	}
	return v.Act(b.Do)
}

// doAnywhere runs the actions that are the same on every page.
func (k *keyboard) doAnywhere(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Lesson:
		if k.app.lesson.Taken == nil {
			return k.app.said.say("L lesson: no lesson is running. demo --list lists lessons."), true
		}
		k.app.lesson.Entered = true
	case keymap.Fault:
		return k.app.training.openTrainer(), true
	case keymap.Quit:
		return k.app.jobs.quit(false), true
	case keymap.Help:
		k.app.boxes.openHelp()
	case keymap.Palette, keymap.Namespaces, keymap.ByLabel:
		k.app.commands.open(map[keymap.Action]string{keymap.Namespaces: "ns ", keymap.ByLabel: "by "}[do])
	case keymap.AllNamespaces:
		return k.app.commands.inNamespace(""), true
	case keymap.More:
		return k.app.boxes.openMenu(), true
	case keymap.Close:
		return k.close(), true
	case keymap.Preview:
		k.app.NoPreview = !k.app.NoPreview
		k.app.history.fit()
		return keepPreview(k.app), true
	case keymap.Last:
		return k.app.history.goTo(k.app.history.last), true
	case keymap.Back:
		return k.app.history.back(), true
	case keymap.Forward:
		return k.app.history.goTo(k.app.history.here + 1), true
	default:
		return k.doOpenPage(do)
	}
	return nil, true
}

// doOpenPage goes to a page, or to another step of a recording.
func (k *keyboard) doOpenPage(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Pending:
		return k.app.history.open(k.app.pages.pending), true
	case keymap.Pods:
		return k.app.history.open(k.app.pages.pods), true
	case keymap.Nodes:
		return k.app.history.open(k.app.pages.nodes), true
	case keymap.Priorities:
		return k.app.history.open(k.app.pages.priorities), true
	case keymap.Quotas:
		return k.app.history.open(k.app.pages.quotas), true
	case keymap.Pools:
		return k.app.history.open(k.app.pages.pools), true
	case keymap.Evictions:
		return k.app.commands.openOfNode("evictions"), true
	case keymap.Taints:
		return k.app.history.open(k.app.pages.taints), true
	case keymap.Budgets:
		return k.app.history.open(k.app.pages.budgets), true
	}
	return k.doOpenRest(do)
}

// doOpenRest goes to the pages that are no lists of objects.
func (k *keyboard) doOpenRest(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.FixesAgain:
		return k.app.follows.openNext(), true
	case keymap.Activity:
		return k.app.history.open(activity.New(&k.app.host, &k.app.jobs, k.app.jobs.activity)), true
	case keymap.Unread:
		return k.app.history.open(unread.New(&k.app.host)), true
	case keymap.StepBack, keymap.StepOn:
		return k.app.steps.step(do), true
	case keymap.Changes:
		return k.app.steps.openChanges(), true
	case keymap.History:
		return k.app.history.open(podhistory.New(&k.app.host, k.app.Recording, k.app.history.top().Selected().Pod)), true
	}
	return k.doTerminal(do)
}

// killWords name the key to press instead of ctrl-k.
func (k *keyboard) killWords() string {
	switch places := k.app.history.top().Places(); {
	case places&keymap.OnPod != 0:
		return "ctrl-k does nothing. " + k.app.Keys.Of(keymap.Evict, places).First() + " evicts the pod, after a preview."
	case places&keymap.OnNode != 0:
		return "ctrl-k does nothing. " + k.app.Keys.Of(keymap.Drain, places).First() + " drains the node, after a preview."
	}
	return "ctrl-k does nothing."
}

// doTerminal runs the actions on the terminal and the connection.
func (k *keyboard) doTerminal(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Redraw:
		return tea.ClearScreen, true
	case keymap.Suspend:
		return tea.Suspend, true
	case keymap.Kill:
		return k.app.said.say(k.killWords()), true
	case keymap.Retry:
		cluster := k.app.Cluster
		if cluster == nil {
			return nil, true // the first connection is under way
		}
		return func() tea.Msg { cluster.Retry(); return nil }, true
	case keymap.Copy:
		return k.copy(), true
	}
	return nil, false
}

// closer is a view that has something of its own to close before it is left.
type closer interface {
	Close() (cmd tea.Cmd, done bool)
}

// close closes what is open in the view, or goes back.
func (k *keyboard) close() tea.Cmd {
	if v, ok := k.app.history.top().(closer); ok {
		if cmd, done := v.Close(); done {
			return cmd
		}
	}
	return k.app.history.back()
}

func (k *keyboard) onPaste(text string) tea.Cmd {
	switch {
	case k.app.box != nil || k.app.acts.action != nil:
		return nil
	case k.app.dialog != nil:
		return k.app.dialog.Paste(text)
	case k.app.prompt == nil:
		return nil // a paste is no answer
	}
	return k.app.prompt.Paste(text)
}

// onMouse passes clicks in the body and the wheel to the view. The mouse neither
// answers a box nor closes an input.
func (k *keyboard) onMouse(msg tea.MouseMsg) tea.Cmd {
	if k.app.small() || k.free() && k.app.hides(k.app.history.top()) {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch {
		case k.app.dialog != nil:
			k.app.dialog.Scroll(keymap.Wheel(msg))
			return nil
		case k.app.box != nil:
			k.app.box.Scroll(keymap.Wheel(msg))
			return nil
		}
		if k.app.prompt == nil {
			return k.app.history.top().Update(msg)
		}
	case tea.MouseClickMsg:
		msg.Y -= 2
		if msg.Button == tea.MouseLeft && k.free() && msg.Y >= 0 && msg.Y < k.app.layout.bodyHeight() && msg.X < k.app.width-k.app.lesson.Right(k.app.width) {
			k.app.touched = true
			msg.Y = k.app.layout.pageRow(msg.Y)
			return k.app.history.top().Update(msg)
		}
	}
	return nil
}

// free reports whether no box or input is open.
func (k *keyboard) free() bool {
	return k.app.box == nil && k.app.dialog == nil && k.app.prompt == nil && k.app.acts.action == nil
}

// limited is an input of limited length.
type limited interface{ Full(text string) bool }

// takesNoMore reports whether a message is a key for an input that is full and says
// so. It is ignored: text pasted as keys may be thousands of them, with ctrl-c behind
// them.
func (k *keyboard) takesNoMore(msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	input, open := k.app.prompt.(limited)
	return ok && open && key.Text != "" && k.app.acts.action == nil && k.app.dialog == nil && k.app.box == nil && input.Full(key.Text)
}

// keepPreview keeps for the next start whether lists have a preview.
func keepPreview(app *App) tea.Cmd {
	keep, shown := app.KeepPreview, !app.NoPreview
	if keep == nil {
		return nil
	}
	return func() tea.Msg {
		keep(shown)
		return nil
	}
}
