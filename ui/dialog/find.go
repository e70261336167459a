package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// Finder searches the lines of a box.
type Finder struct {
	field  input.Field
	typing bool
	found  string // the searched text; "": none
}

// key takes the keys of a search; it reports whether the key was one.
func (f *Finder) key(b *Box, key tea.KeyPressMsg) bool {
	pressed := key.String()
	if pressed == "esc" && (f.typing || f.found != "") {
		f.typing, f.found = false, ""
		return true
	}
	if f.typing {
		return f.typed(b, key)
	}
	switch {
	case pressed == "/":
		f.field, f.typing, f.found = input.NewSearch(""), true, ""
	case (pressed == "ctrl+n" || pressed == "ctrl+p") && f.found != "":
		f.next(b, pressed == "ctrl+p")
	default:
		return false
	}
	return true
}

// typed takes the keys of the input; ctrl-c closes the box as ever.
func (f *Finder) typed(b *Box, key tea.KeyPressMsg) bool {
	switch key.String() {
	case "ctrl+c":
		return false
	case "enter":
		f.typing = false
		return true
	}
	if f.field.Edit(key) {
		f.found = f.field.Text()
		if f.found != "" && b.top < len(b.Lines) && !b.hit(b.Lines[b.top]) {
			f.next(b, false)
		}
	}
	return true
}

// next scrolls the next line with the searched text to the top, as far as there are
// lines below; after the last comes the first.
func (f *Finder) next(b *Box, back bool) {
	step := 1
	if back {
		step = len(b.Lines) - 1
	}
	for at, i := b.top, 0; i < len(b.Lines); i++ {
		if at = (at + step) % len(b.Lines); b.hit(b.Lines[at]) {
			b.Scroll(at - b.top)
			return
		}
	}
}

// hit says whether a line has the searched text.
func (b *Box) hit(line string) bool {
	return b.Find != nil && b.Find.found != "" && strings.Contains(strings.ToLower(line), strings.ToLower(b.Find.found))
}

// style is that of a line.
func (b *Box) style(s *themes.Styles, line string) lipgloss.Style {
	if b.hit(line) {
		return s.Match
	}
	return s.Text
}

// corner is the text in the corner: the one being typed, or the keys.
func (b *Box) corner() string {
	if b.Find != nil && b.Find.typing {
		return "/" + b.Find.field.Drawn()
	}
	return b.Corner
}
