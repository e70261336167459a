package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
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
	b, ok := bindingAt(key.String(), a.placesOf(v))
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
func (a *App) do(b binding, v view) tea.Cmd {
	if a.small() && b.do != doClose && b.do != doQuit {
		return nil
	}
	if a.hides(v) && (b.where&everywhere == 0 || b.do == doCopy) {
		return a.say(strings.TrimSpace(b.label+" "+b.foot) + ": " + hiddenWords + ".")
	}
	if reason := a.off(b.do, v); reason != "" {
		return a.say(strings.TrimSpace(b.label+" "+b.foot) + ": " + reason)
	}
	if cmd, done := a.doAnywhere(b.do); done {
		return cmd
	}
	if slices.Contains(changers, b.do) {
		return a.change(b.do, targetsOf(v))
	}
	return v.act(b.do)
}

// doAnywhere does the actions that mean the same on every page.
func (a *App) doAnywhere(do action) (cmd tea.Cmd, done bool) {
	switch do {
	case doLesson:
		if a.lesson.taken == nil {
			return a.say("L lesson: no lesson is taken. demo --list lists them."), true
		}
		a.lesson.entered = true
	case doFault:
		return a.openTrainer(), true
	case doQuit:
		return a.quit(false), true
	case doHelp:
		a.openHelp()
	case doPalette:
		a.prompt = newPalette(a)
	case doNamespaces:
		a.prompt = newNamespaces(a)
	case doAllNamespaces:
		return a.inNamespace(""), true
	case doMore:
		return a.openMenu(), true
	case doClose:
		return a.close(), true
	case doLast:
		return a.goTo(a.last), true
	case doBack:
		return a.back(), true
	case doForward:
		return a.goTo(a.here + 1), true
	default:
		return a.doOpenPage(do)
	}
	return nil, true
}

// doOpenPage goes to a page, or to another step of a recording.
func (a *App) doOpenPage(do action) (cmd tea.Cmd, done bool) {
	switch do {
	case doPending:
		return a.open(a.pages.pending), true
	case doPods:
		return a.open(a.pages.pods), true
	case doNodes:
		return a.open(a.pages.nodes), true
	case doActivity:
		return a.open(newActivity(a)), true
	case doUnread:
		return a.open(newUnread(a)), true
	case doStepBack, doStepOn:
		return a.step(do), true
	case doChanges:
		return a.openChanges(), true
	case doPast:
		return a.open(newPast(a, a.top().selected().pod)), true
	}
	return a.doTerminal(do)
}

// doTerminal does what concerns the terminal and the connection.
func (a *App) doTerminal(do action) (cmd tea.Cmd, done bool) {
	switch do {
	case doRedraw:
		return tea.ClearScreen, true
	case doSuspend:
		return tea.Suspend, true
	case doKill:
		return a.say("Nothing is killed without asking: e evicts"), true
	case doRetry:
		cluster := a.Cluster
		if cluster == nil {
			return nil, true // it is being connected to
		}
		return func() tea.Msg { cluster.Retry(); return nil }, true
	case doCopy:
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
