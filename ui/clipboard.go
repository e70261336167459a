package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// copier is a view that has more to copy than the name of the selection.
type copier interface {
	// copies is the text, and its name on the message row; "" is nothing.
	Copies() (text, name string)
}

// copy copies the page, or the name of the selection, to the terminal's clipboard: what is
// pasted into a shell would run.
func (k *keyboard) copy() tea.Cmd {
	text := model.Clean(k.app.history.top().Selected().Copy)
	name := text
	if v, ok := k.app.history.top().(copier); ok {
		text, name = v.Copies()
		text = cleanLines(text)
	}
	if text == "" {
		return k.app.said.say("C copy: nothing is selected.")
	}
	return tea.Batch(tea.SetClipboard(text), k.app.said.say("Copied "+name+"."))
}

// cleanLines cleans a text that may have several lines.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = model.Clean(line)
	}
	return strings.Join(lines, "\n")
}
