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
func (c *acts) raise() tea.Cmd {
	actor := c.app.actor()
	switch {
	case actor == nil:
		return c.app.said.say("write: nothing can be changed in what is shown.")
	case actor.ReadOnly() == "":
		return c.app.said.say("write: changes can be planned here already; each asks first.")
	case c.app.ReadOnly:
		reason, _ := c.app.keyboard.lookOnly()
		return c.app.said.say("write: " + reason)
	}
	opened := c.app.opened
	return c.app.boxes.openYesNo(&yesNo{
		app: c.app, title: "Allow changes", does: "allow changes",
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
func (c *acts) onRaised(msg raisedMsg) tea.Cmd {
	switch {
	case msg.opened != c.app.opened:
		return nil
	case msg.err != nil:
		return c.app.said.sayError(msg.err)
	}
	return c.app.said.say("Changes can be planned here now; each asks first.")
}
