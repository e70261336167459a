package ui

import (
	tea "charm.land/bubbletea/v2"
)

// raisedMsg says whether a read-only context can be changed now.
type raisedMsg struct {
	opened int
	err    error
}

// raise asks whether a context that is set to be read-only may be changed until
// it is left. What was set for the whole run stays.
func (a *App) raise() tea.Cmd {
	actor := a.actor()
	switch {
	case actor == nil:
		return a.say("write: nothing can be changed in what is shown.")
	case actor.ReadOnly() == "":
		return a.say("write: changes can be planned here already; each asks first.")
	case a.ReadOnly:
		reason, _ := a.lookOnly()
		return a.say("write: " + reason)
	}
	opened := a.opened
	return a.openYesNo(&yesNo{
		app: a, title: "Allow changes", does: "allow changes",
		lines: []string{
			"The settings keep this context read-only.",
			"Until it is left, changes can be planned here; each still asks.",
		},
		run: func() tea.Cmd {
			return func() tea.Msg { return raisedMsg{opened, actor.Raise()} }
		},
	})
}

// onRaised says what came of it.
func (a *App) onRaised(msg raisedMsg) tea.Cmd {
	switch {
	case msg.opened != a.opened:
		return nil
	case msg.err != nil:
		return a.sayError(msg.err)
	}
	return a.say("Changes can be planned here now; each asks first.")
}
