// Package input is a line of text that is being typed, on the text input of bubbles.
package input

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Field is a line of text being typed.
type Field struct {
	input  textinput.Model
	digits bool // only digits can be typed
}

// New is a field that begins with text.
func New(text string) Field { return NewOf(text, LongestText) }

// LongestText is how much may be typed anywhere; a pasted text must fit.
const LongestText = 1000

// NewOf is a field of that many characters at most, or of as many as it begins with.
func NewOf(text string, most int) Field {
	input := textinput.New()
	input.CharLimit = max(most, utf8.RuneCountInString(text))
	input.Focus()
	input.SetValue(text)
	input.CursorEnd()
	return Field{input: input}
}

// NewNumber is a field for a number.
func NewNumber() Field {
	f := New("")
	f.digits = true
	return f
}

// LongestName is how much may be typed where names are searched: each key searches
// all of it again.
const LongestName = 300

// NewSearch is a field for a name.
func NewSearch(text string) Field {
	return NewOf(text, LongestName)
}

// Takes says whether more text fits.
func (f *Field) Takes(text string) bool {
	room := f.input.CharLimit - utf8.RuneCountInString(f.input.Value())
	return len(text) <= room || utf8.RuneCountInString(text) <= room
}

// Text is the typed text.
func (f *Field) Text() string { return f.input.Value() }

// Edit changes the text as the key says; it reports whether it did. The input
// panics where a word of one character is left to delete forward.
func (f *Field) Edit(msg tea.Msg) bool {
	before := f.input.Value()
	if f.digits && strings.Trim(strings.TrimSpace(putIn(msg)), "0123456789") != "" {
		return false
	}
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: firstRunes(paste.Content, f.input.CharLimit)}
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

// firstRunes are the first n characters of a text, which may be megabytes.
func firstRunes(text string, n int) string {
	for at := range text {
		if n--; n < 0 {
			return text[:at]
		}
	}
	return text
}

// Drawn is the text with the cursor in it.
func (f *Field) Drawn() string {
	runes, at := []rune(f.input.Value()), f.input.Position()
	at = min(max(at, 0), len(runes))
	return model.Clean(string(runes[:at])) + "▏" + model.Clean(string(runes[at:]))
}

// DrawnIn is drawn in width cells at most, cut with …; the cursor stays in view.
func (f *Field) DrawnIn(width int) string {
	all := f.Drawn()
	before, _, _ := strings.Cut(all, "▏")
	if over := cells.Width(before) + 2 - width; over > 0 && cells.Width(all) > width {
		all = "…" + ansi.TruncateLeft(all, over+1, "")
	}
	return cells.Cut(all, width)
}
