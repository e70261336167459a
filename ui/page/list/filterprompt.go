package list

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// longestFilter is how much may be typed as a filter: each key of it filters and compiles anew.
const longestFilter = 250

// tooLong is the message where that is reached.
const tooLong = "at most 250 characters"

// filtering is the input of a filter. While the typed one is not valid, its terms before that stay in force.
type filtering[F, R any] struct {
	list    *Page[F, R]
	field   input.Field
	wrong   string            // what is wrong with the typed filter, or still missing
	known   []string          // the fields that exist, where the typed one does not
	closing bool              // enter was pressed before its rows arrived
	later   []tea.KeyPressMsg // the keys after it, which are meant for these rows
}

func newFiltering[F, R any](l *Page[F, R]) *filtering[F, R] {
	return &filtering[F, R]{list: l, field: input.NewOf(l.Filter, longestFilter)}
}

func (f *filtering[F, R]) Line(width int) string {
	s := f.list.Host.Styles()
	if f.wrong == "" {
		const hint = "enter keep, esc clear"
		return cells.Spread(s.Text.Render(" /"+f.field.DrawnIn(width-cells.Width(hint)-4)), s.Dim.Render(hint), width-1)
	}
	typed := " /" + f.field.DrawnIn(max(width-cells.Width(f.wrong)-5, width/3))
	room := max(width-cells.Width(typed)-3, 0)
	return cells.Cut(s.Text.Render(typed)+"  "+s.Warn.Render(cells.Cut(f.wrong, room)), width)
}

// Above are the fields that exist, where the typed one does not.
func (f *filtering[F, R]) Above(width int) []string {
	if f.wrong == "" || len(f.known) == 0 {
		return nil
	}
	var lines []string
	for _, line := range cells.Wrap("fields: "+strings.Join(f.known, " "), width-2) {
		lines = append(lines, f.list.Host.Styles().Text.Render(cells.Left(" "+line, width)))
	}
	return lines
}

func (f *filtering[F, R]) Paste(text string) tea.Cmd {
	if f.closing {
		return nil
	}
	if !f.field.Takes(text) {
		f.wrong = "the pasted text is too long"
		return nil
	}
	return f.edit(tea.PasteMsg{Content: text})
}

func (f *filtering[F, R]) Key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	switch {
	case pressed == "esc":
		f.list.Host.Input(nil)
		return f.list.Query().SetFilter("")
	case f.closing:
		if len(f.later) < typedAhead {
			f.later = append(f.later, key)
		}
		return nil
	case pressed == "enter" && f.list.stop != nil:
		f.closing = true
		return nil
	case pressed == "enter" && f.wrong != "" && f.field.Text() != f.list.Filter:
		return nil // the typed filter is not in force; the message stays
	case pressed == "enter":
		f.list.Host.Input(nil)
		return nil
	case !f.field.Takes(key.Text):
		f.wrong = tooLong
		return nil
	}
	return f.edit(key)
}

// typedAhead is how many keys are remembered that are pressed before their rows
// arrive.
const typedAhead = 20

// edit changes the typed filter and asks for its rows. A regular expression is
// compiled and matched in a Cmd, which the next key ends.
func (f *filtering[F, R]) edit(msg tea.Msg) tea.Cmd {
	if !f.field.Edit(msg) {
		return nil
	}
	f.wrong, f.known = "", nil
	text := f.field.Text()
	if !query.HasExpression(text) {
		if _, err := query.Compile(f.list.Fields(), text); err != nil {
			f.isWrong(err)
			if text = f.valid(text); text == f.list.Filter {
				return nil
			}
		}
	}
	return f.list.Query().SetFilter(text)
}

// valid is the typed filter without the terms from the first one on that is not valid: the name of a field whose
// comparison is not complete is no word to look for.
func (f *filtering[F, R]) valid(text string) string {
	for {
		at := strings.LastIndexByte(text, ' ')
		if at < 0 {
			return ""
		}
		text = strings.TrimRight(text[:at], " ")
		if query.HasExpression(text) {
			return f.list.Filter // it is compiled off the event loop, and in force
		}
		if _, err := query.Compile(f.list.Fields(), text); err == nil {
			return text
		}
	}
}

// Full reports whether text does not fit, where the message says so already.
func (f *filtering[F, R]) Full(text string) bool { return f.wrong == tooLong && !f.field.Takes(text) }

// isWrong shows what is wrong with the typed filter, and drops the keys that were
// meant for its rows.
func (f *filtering[F, R]) isWrong(err error) {
	f.wrong, f.closing, f.later = model.Clean(err.Error()), false, nil
	if wrong, ok := errors.AsType[*query.FilterError](err); ok {
		f.wrong, f.known = model.Clean(wrong.Cause), wrong.Fields
	}
}

// kept closes an input whose rows arrived after enter, and runs the keys that were
// pressed meanwhile.
func (f *filtering[F, R]) kept() tea.Cmd {
	if !f.closing {
		return nil
	}
	f.list.Host.Input(nil)
	var all []tea.Cmd
	for _, key := range f.later {
		all = append(all, f.list.Host.Type(key))
	}
	return tea.Batch(all...)
}
