package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/input"
)

// longestFilter is how much may be typed as a filter.
const longestFilter = 1000

// tooLong is said where that is reached.
const tooLong = "no more than 1,000 characters"

// filtering is the input of a filter. The last one that was right stays in force
// while what is typed is not.
type filtering[F, R any] struct {
	list    *list[F, R]
	field   input.Field
	wrong   string            // what is wrong with what was typed, or still missing
	closing bool              // enter was pressed before its rows were there
	later   []tea.KeyPressMsg // the keys after it, which are meant for these rows
}

func newFiltering[F, R any](l *list[F, R]) *filtering[F, R] {
	return &filtering[F, R]{list: l, field: input.NewOf(l.filter, longestFilter)}
}

func (f *filtering[F, R]) line(width int) string {
	s := f.list.app.styles()
	if f.wrong == "" {
		const hint = "enter keeps it, esc clears it"
		return cells.Spread(s.Text.Render(" /"+f.field.DrawnIn(width-cells.Width(hint)-4)), s.Dim.Render(hint), width-1)
	}
	typed := " /" + f.field.DrawnIn(max(width-cells.Width(f.wrong)-5, width/3))
	room := max(width-cells.Width(typed)-3, 0)
	return cells.Cut(s.Text.Render(typed)+"  "+s.Warn.Render(cells.Cut(f.wrong, room)), width)
}

func (f *filtering[F, R]) above(int) []string { return nil }

func (f *filtering[F, R]) paste(text string) tea.Cmd {
	if f.closing {
		return nil
	}
	if !f.field.Takes(text) {
		f.wrong = "what was pasted is too long"
		return nil
	}
	return f.edit(tea.PasteMsg{Content: text})
}

func (f *filtering[F, R]) key(key tea.KeyPressMsg) tea.Cmd {
	pressed := key.String()
	switch {
	case pressed == "esc":
		f.list.app.prompt = nil
		return f.list.setFilter("")
	case f.closing:
		if len(f.later) < typedAhead {
			f.later = append(f.later, key)
		}
		return nil
	case pressed == "enter" && f.list.stop != nil:
		f.closing = true
		return nil
	case pressed == "enter" && f.wrong != "" && f.field.Text() != f.list.filter:
		return nil // another filter than the typed one is in force; what is wrong stays to be read
	case pressed == "enter":
		f.list.app.prompt = nil
		return nil
	case !f.field.Takes(key.Text):
		f.wrong = tooLong
		return nil
	}
	return f.edit(key)
}

// typedAhead is how many keys are remembered that are pressed before there are rows
// for them.
const typedAhead = 20

// edit changes what was typed, and asks for the rows that it keeps. A regular
// expression is read and looked for in a Cmd, which the next key ends.
func (f *filtering[F, R]) edit(msg tea.Msg) tea.Cmd {
	if !f.field.Edit(msg) {
		return nil
	}
	f.wrong = ""
	text := f.field.Text()
	if !query.HasExpression(text) {
		if _, err := query.Compile(f.list.fields(), text); err != nil {
			f.isWrong(err)
			return nil
		}
	}
	return f.list.setFilter(text)
}

// full says whether the input has no room for text, and says so.
func (f *filtering[F, R]) full(text string) bool { return f.wrong == tooLong && !f.field.Takes(text) }

// isWrong says what is wrong with what was typed. Keys that were meant for its rows
// are meant for no others.
func (f *filtering[F, R]) isWrong(err error) {
	f.wrong, f.closing, f.later = model.Clean(wrongWords(err)), false, nil
}

// kept closes an input whose rows have come after enter, and does the keys that
// were pressed meanwhile.
func (f *filtering[F, R]) kept() tea.Cmd {
	if !f.closing {
		return nil
	}
	a := f.list.app
	a.prompt = nil
	var all []tea.Cmd
	for _, key := range f.later {
		all = append(all, a.keyboard.onKey(key))
	}
	return tea.Batch(all...)
}

// wrongWords say what is wrong with a filter; the reader sees what it is about.
func wrongWords(err error) string {
	var wrong *query.FilterError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	if len(wrong.Fields) == 0 {
		return wrong.Cause
	}
	return wrong.Cause + "; fields: " + strings.Join(wrong.Fields, " ")
}

// selects is the filter that a label selector is.
func selects(selector string) string {
	if strings.Contains(selector, " ") {
		selector = `"` + selector + `"`
	}
	return "-l " + selector
}
