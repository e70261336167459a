package ui

import (
	tea "charm.land/bubbletea/v2"
)

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
