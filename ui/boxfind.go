package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// finder searches the lines of a box.
type finder struct {
	field  input.Field
	typing bool
	found  string // what is searched; "" is nothing
}

// key takes the keys of a search; it reports whether the key was one.
func (f *finder) key(b *box, key tea.KeyPressMsg) bool {
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
func (f *finder) typed(b *box, key tea.KeyPressMsg) bool {
	switch key.String() {
	case "ctrl+c":
		return false
	case "enter":
		f.typing = false
		return true
	}
	if f.field.Edit(key) {
		f.found = f.field.Text()
		if f.found != "" && b.top < len(b.lines) && !b.hit(b.lines[b.top]) {
			f.next(b, false)
		}
	}
	return true
}

// next brings the next line with what is searched to the top, as far as there are
// lines below; after the last comes the first.
func (f *finder) next(b *box, back bool) {
	step := 1
	if back {
		step = len(b.lines) - 1
	}
	for at, i := b.top, 0; i < len(b.lines); i++ {
		if at = (at + step) % len(b.lines); b.hit(b.lines[at]) {
			b.scroll(at - b.top)
			return
		}
	}
}

// hit says whether a line has what is searched.
func (b *box) hit(line string) bool {
	return b.find != nil && b.find.found != "" && strings.Contains(strings.ToLower(line), strings.ToLower(b.find.found))
}

// style is that of a line.
func (b *box) style(s *themes.Styles, line string) lipgloss.Style {
	if b.hit(line) {
		return s.Match
	}
	return s.Text
}

// said is what stands in the corner: what is being typed, or what keys do.
func (b *box) said() string {
	if b.find != nil && b.find.typing {
		return "/" + b.find.field.Drawn()
	}
	return b.corner
}
