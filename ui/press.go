package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// keyboard does what keys, the mouse and pastes mean where the user is.
type keyboard struct{ app *App }

// settler is a view that keeps rows of vanished objects until the next key.
type settler interface{ settle() }

// onKey does what the key means where the user is now.
func (k *keyboard) onKey(key tea.KeyPressMsg) tea.Cmd {
	k.app.touched = true
	k.app.said.text = ""
	leaving := k.app.jobs.leaving
	k.app.jobs.leaving = false
	switch {
	case key.String() == "ctrl+c" && k.app.box == nil && k.app.dialog == nil:
		return k.app.jobs.quit(leaving)
	case k.app.acts.wish != nil:
		k.app.acts.onPlanningKey(key)
		return nil
	case k.app.dialog != nil:
		return k.app.dialog.key(key)
	case k.app.box != nil:
		k.app.boxes.onBoxKey(key)
		return nil
	case k.app.prompt != nil:
		return k.app.prompt.key(key)
	case k.app.lesson.entered:
		return k.app.lessons.onLessonKey(key)
	}
	v := k.app.history.top()
	b, ok := keymap.At(key.String(), k.placesOf(v))
	if !ok {
		return k.stray(key.String(), v)
	}
	cmd := k.do(b, v)
	if s, ok := v.(settler); ok {
		s.settle()
	}
	return cmd
}

// do runs an action, or says why it cannot be done.
func (k *keyboard) do(b keymap.Binding, v view) tea.Cmd {
	if k.app.small() && b.Do != keymap.Close && b.Do != keymap.Quit {
		return nil
	}
	if k.app.hides(v) && (b.Where&keymap.Everywhere == 0 || b.Do == keymap.Copy) {
		return k.app.said.say(strings.TrimSpace(b.Label+" "+b.Foot) + ": " + hiddenWords + ".")
	}
	if reason := k.off(b.Do, v); reason != "" {
		return k.app.said.say(strings.TrimSpace(b.Label+" "+b.Foot) + ": " + reason)
	}
	if cmd, done := k.doAnywhere(b.Do); done {
		return cmd
	}
	if slices.Contains(changers, b.Do) {
		return k.app.acts.change(b.Do, targetsOf(v))
	}
	return v.act(b.Do)
}

// doAnywhere does the actions that mean the same on every page.
func (k *keyboard) doAnywhere(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Lesson:
		if k.app.lesson.taken == nil {
			return k.app.said.say("L lesson: no lesson is taken. demo --list lists them."), true
		}
		k.app.lesson.entered = true
	case keymap.Fault:
		return k.app.training.openTrainer(), true
	case keymap.Quit:
		return k.app.jobs.quit(false), true
	case keymap.Help:
		k.app.boxes.openHelp()
	case keymap.Palette:
		k.app.prompt = newPalette(k.app)
	case keymap.Namespaces:
		k.app.prompt = newNamespaces(k.app)
	case keymap.AllNamespaces:
		return k.app.commands.inNamespace(""), true
	case keymap.More:
		return k.app.boxes.openMenu(), true
	case keymap.Close:
		return k.close(), true
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
	case keymap.Activity:
		return k.app.history.open(newActivity(k.app)), true
	case keymap.Unread:
		return k.app.history.open(newUnread(k.app)), true
	case keymap.StepBack, keymap.StepOn:
		return k.app.steps.step(do), true
	case keymap.Changes:
		return k.app.steps.openChanges(), true
	case keymap.Past:
		return k.app.history.open(newPast(k.app, k.app.history.top().selected().pod)), true
	}
	return k.doTerminal(do)
}

// doTerminal does what concerns the terminal and the connection.
func (k *keyboard) doTerminal(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Redraw:
		return tea.ClearScreen, true
	case keymap.Suspend:
		return tea.Suspend, true
	case keymap.Kill:
		return k.app.said.say("Nothing is killed without asking: e evicts"), true
	case keymap.Retry:
		cluster := k.app.Cluster
		if cluster == nil {
			return nil, true // it is being connected to
		}
		return func() tea.Msg { cluster.Retry(); return nil }, true
	case keymap.Copy:
		return k.copy(), true
	}
	return nil, false
}

// closer is a view that has something of its own to close before it is left.
type closer interface {
	close() (cmd tea.Cmd, done bool)
}

// close closes what is open in the view, else goes back.
func (k *keyboard) close() tea.Cmd {
	if v, ok := k.app.history.top().(closer); ok {
		if cmd, done := v.close(); done {
			return cmd
		}
	}
	return k.app.history.back()
}

func (k *keyboard) onPaste(text string) tea.Cmd {
	switch {
	case k.app.box != nil || k.app.acts.wish != nil:
		return nil
	case k.app.dialog != nil:
		return k.app.dialog.paste(text)
	case k.app.prompt == nil:
		return nil // a paste answers nothing
	}
	return k.app.prompt.paste(text)
}
