package ui

import tea "charm.land/bubbletea/v2"

// copier is a view that has more to copy than the name of the selection.
type copier interface {
	// copies is the text, and its name on the message row; "" is nothing.
	Copies() (text, name string)
}

// copy copies the page, or the name of the selection, to the terminal's clipboard.
func (k *keyboard) copy() tea.Cmd {
	text := k.app.history.top().Selected().Copy
	name := text
	if v, ok := k.app.history.top().(copier); ok {
		text, name = v.Copies()
	}
	if text == "" {
		return k.app.said.say("C copy: nothing is selected.")
	}
	return tea.Batch(tea.SetClipboard(text), k.app.said.say("Copied "+name+"."))
}
