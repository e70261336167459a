package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// prompt is an input on the message row; while it is open it takes all keys.
type prompt interface {
	line(width int) string    // the message row
	above(width int) []string // what it lays over the body's last rows
	key(key tea.KeyPressMsg) tea.Cmd
	paste(text string) tea.Cmd
}

// field is a line of text being typed.
type field struct {
	input  textinput.Model
	digits bool // nothing else goes in
}

func newField(text string) field {
	input := textinput.New()
	input.Focus()
	input.SetValue(text)
	input.CursorEnd()
	return field{input: input}
}

// newNumber is a field for a number.
func newNumber() field {
	f := newField("")
	f.digits = true
	return f
}

// longestName is how much may be typed where names are searched: each key searches
// all of it again.
const longestName = 300

// newSearch is a field for a name.
func newSearch(text string) field {
	f := newField(text)
	f.input.CharLimit = longestName
	return f
}

// text is what was typed.
func (f *field) text() string { return f.input.Value() }

// edit changes the text as the key says; it reports whether it did. The input
// panics where a word of one character is left to delete forward.
func (f *field) edit(msg tea.Msg) bool {
	before := f.input.Value()
	if f.digits && strings.Trim(strings.TrimSpace(putIn(msg)), "0123456789") != "" {
		return false
	}
	if press, ok := msg.(tea.KeyPressMsg); ok && key.Matches(press, f.input.KeyMap.DeleteWordForward) && f.input.Position()+1 == len([]rune(before)) {
		msg = tea.KeyPressMsg{Code: tea.KeyDelete}
	}
	f.input, _ = f.input.Update(msg)
	return f.input.Value() != before
}

// putIn is the text that a key or a paste puts in; "" for other keys.
func putIn(msg tea.Msg) string {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return msg.Text
	case tea.PasteMsg:
		return msg.Content
	}
	return ""
}

// drawn is the text with the cursor in it.
func (f *field) drawn() string {
	runes, at := []rune(f.input.Value()), f.input.Position()
	at = min(max(at, 0), len(runes))
	return model.Clean(string(runes[:at])) + "▏" + model.Clean(string(runes[at:]))
}
