package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// settler is a view that keeps rows of vanished objects until the next key.
type settler interface{ settle() }

// onKey does what the key means where the user is now.
func (a *App) onKey(key tea.KeyPressMsg) tea.Cmd {
	a.touched = true
	a.said.text = ""
	leaving := a.acts.leaving
	a.acts.leaving = false
	switch {
	case key.String() == "ctrl+c" && a.box == nil && a.dialog == nil:
		return a.quit(leaving)
	case a.acts.wish != nil:
		a.onPlanningKey(key)
		return nil
	case a.dialog != nil:
		return a.dialog.key(key)
	case a.box != nil:
		a.onBoxKey(key)
		return nil
	case a.prompt != nil:
		return a.prompt.key(key)
	case a.lesson.entered:
		return a.onLessonKey(key)
	}
	v := a.top()
	b, ok := keymap.At(key.String(), a.placesOf(v))
	if !ok {
		return a.stray(key.String(), v)
	}
	cmd := a.do(b, v)
	if s, ok := v.(settler); ok {
		s.settle()
	}
	return cmd
}

// do runs an action, or says why it cannot be done.
func (a *App) do(b keymap.Binding, v view) tea.Cmd {
	if a.small() && b.Do != keymap.Close && b.Do != keymap.Quit {
		return nil
	}
	if a.hides(v) && (b.Where&keymap.Everywhere == 0 || b.Do == keymap.Copy) {
		return a.say(strings.TrimSpace(b.Label+" "+b.Foot) + ": " + hiddenWords + ".")
	}
	if reason := a.off(b.Do, v); reason != "" {
		return a.say(strings.TrimSpace(b.Label+" "+b.Foot) + ": " + reason)
	}
	if cmd, done := a.doAnywhere(b.Do); done {
		return cmd
	}
	if slices.Contains(changers, b.Do) {
		return a.change(b.Do, targetsOf(v))
	}
	return v.act(b.Do)
}

// doAnywhere does the actions that mean the same on every page.
func (a *App) doAnywhere(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Lesson:
		if a.lesson.taken == nil {
			return a.say("L lesson: no lesson is taken. demo --list lists them."), true
		}
		a.lesson.entered = true
	case keymap.Fault:
		return a.openTrainer(), true
	case keymap.Quit:
		return a.quit(false), true
	case keymap.Help:
		a.openHelp()
	case keymap.Palette:
		a.prompt = newPalette(a)
	case keymap.Namespaces:
		a.prompt = newNamespaces(a)
	case keymap.AllNamespaces:
		return a.inNamespace(""), true
	case keymap.More:
		return a.openMenu(), true
	case keymap.Close:
		return a.close(), true
	case keymap.Last:
		return a.goTo(a.last), true
	case keymap.Back:
		return a.back(), true
	case keymap.Forward:
		return a.goTo(a.here + 1), true
	default:
		return a.doOpenPage(do)
	}
	return nil, true
}

// doOpenPage goes to a page, or to another step of a recording.
func (a *App) doOpenPage(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Pending:
		return a.open(a.pages.pending), true
	case keymap.Pods:
		return a.open(a.pages.pods), true
	case keymap.Nodes:
		return a.open(a.pages.nodes), true
	case keymap.Activity:
		return a.open(newActivity(a)), true
	case keymap.Unread:
		return a.open(newUnread(a)), true
	case keymap.StepBack, keymap.StepOn:
		return a.step(do), true
	case keymap.Changes:
		return a.openChanges(), true
	case keymap.Past:
		return a.open(newPast(a, a.top().selected().pod)), true
	}
	return a.doTerminal(do)
}

// doTerminal does what concerns the terminal and the connection.
func (a *App) doTerminal(do keymap.Action) (cmd tea.Cmd, done bool) {
	switch do {
	case keymap.Redraw:
		return tea.ClearScreen, true
	case keymap.Suspend:
		return tea.Suspend, true
	case keymap.Kill:
		return a.say("Nothing is killed without asking: e evicts"), true
	case keymap.Retry:
		cluster := a.Cluster
		if cluster == nil {
			return nil, true // it is being connected to
		}
		return func() tea.Msg { cluster.Retry(); return nil }, true
	case keymap.Copy:
		return a.copy(), true
	}
	return nil, false
}

// closer is a view that has something of its own to close before it is left.
type closer interface {
	close() (cmd tea.Cmd, done bool)
}

// close closes what is open in the view, else goes back.
func (a *App) close() tea.Cmd {
	if v, ok := a.top().(closer); ok {
		if cmd, done := v.close(); done {
			return cmd
		}
	}
	return a.back()
}

func (a *App) onPaste(text string) tea.Cmd {
	switch {
	case a.box != nil || a.acts.wish != nil:
		return nil
	case a.dialog != nil:
		return a.dialog.paste(text)
	case a.prompt == nil:
		return nil // a paste answers nothing
	}
	return a.prompt.paste(text)
}
