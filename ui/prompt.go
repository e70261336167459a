package ui

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
func (a *App) takesNoMore(msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	input, open := a.prompt.(limited)
	return ok && open && key.Text != "" && a.acts.wish == nil && a.dialog == nil && a.box == nil && input.full(key.Text)
}

// field is a line of text being typed.
type field struct {
	input  textinput.Model
	digits bool // nothing else goes in
}

func newField(text string) field { return newFieldOf(text, longestText) }

// longestText is how much may be typed anywhere; what is pasted whole must fit.
const longestText = 1000

// newFieldOf is a field of that many characters at most, or of all that it begins with.
func newFieldOf(text string, most int) field {
	input := textinput.New()
	input.CharLimit = max(most, utf8.RuneCountInString(text))
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
	return newFieldOf(text, longestName)
}

// takes says whether there is room for more text.
func (f *field) takes(text string) bool {
	room := f.input.CharLimit - utf8.RuneCountInString(f.input.Value())
	return len(text) <= room || utf8.RuneCountInString(text) <= room
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

// drawn is the text with the cursor in it.
func (f *field) drawn() string {
	runes, at := []rune(f.input.Value()), f.input.Position()
	at = min(max(at, 0), len(runes))
	return model.Clean(string(runes[:at])) + "▏" + model.Clean(string(runes[at:]))
}

// drawnIn is drawn in width cells at most, with … for what has no room; the cursor
// stays in view.
func (f *field) drawnIn(width int) string {
	all := f.drawn()
	before, _, _ := strings.Cut(all, "▏")
	if over := cells.Width(before) + 2 - width; over > 0 && cells.Width(all) > width {
		all = "…" + ansi.TruncateLeft(all, over+1, "")
	}
	return cells.Cut(all, width)
}
