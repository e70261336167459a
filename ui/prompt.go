package ui

import (
	tea "charm.land/bubbletea/v2"
)

// prompt is an input on the message row; while it is open it takes all keys.
type prompt interface {
	line(width int) string    // the message row
	above(width int) []string // what it lays over the body's last rows
	key(key tea.KeyPressMsg) tea.Cmd
	paste(text string) tea.Cmd
}

// limited is an input that may have no room left.
type limited interface{ full(text string) bool }

// takesNoMore says whether a message is a key for an input that is full and has
// said so. Nothing is done for it: what is pasted as keys may be thousands of them,
// and ctrl-c comes behind them.
func (k *keyboard) takesNoMore(msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	input, open := k.app.prompt.(limited)
	return ok && open && key.Text != "" && k.app.acts.wish == nil && k.app.dialog == nil && k.app.box == nil && input.full(key.Text)
}
