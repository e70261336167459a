package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
)

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
