package ui

import tea "charm.land/bubbletea/v2"

// copier is a view that has more to copy than the name of what is selected.
type copier interface {
	// copies gives the text, and what the message row calls it; "" is nothing.
	copies() (text, name string)
}

// copy puts the page, or the name of what is selected, on the clipboard of the
// terminal.
func (k *keyboard) copy() tea.Cmd {
	text := k.app.history.top().selected().copy
	name := text
	if v, ok := k.app.history.top().(copier); ok {
		text, name = v.copies()
	}
	if text == "" {
		return k.app.said.say("C copy: nothing is selected.")
	}
	return tea.Batch(tea.SetClipboard(text), k.app.said.say("Copied "+name+"."))
}
