package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// filtering is the input of a filter. The last one that was right stays in force
// while what is typed is not.
type filtering[F, R any] struct {
	list  *list[F, R]
	field field
	wrong string // what is wrong with what was typed, or still missing
}

func newFiltering[F, R any](l *list[F, R]) *filtering[F, R] {
	return &filtering[F, R]{list: l, field: newField(l.filter)}
}

func (f *filtering[F, R]) line(width int) string {
	s := f.list.app.styles()
	typed := " /" + f.field.drawn()
	if f.wrong == "" {
		return spread(s.Text.Render(cut(typed, width-1)), s.Dim.Render("enter keeps it, esc clears it"), width-1)
	}
	room := max(width-cells(typed)-3, 0)
	return cut(s.Text.Render(typed)+"  "+s.Warn.Render(cut(f.wrong, room)), width)
}

func (f *filtering[F, R]) above(int) []string { return nil }

func (f *filtering[F, R]) paste(text string) tea.Cmd {
	f.field.edit(tea.PasteMsg{Content: text})
	return f.typed()
}

func (f *filtering[F, R]) key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		f.list.app.prompt = nil
		return f.list.setFilter("")
	case "enter":
		f.list.app.prompt = nil
		return nil
	}
	if !f.field.edit(key) {
		return nil
	}
	return f.typed()
}

// typed puts what was typed in force if it is right, else says what is wrong.
func (f *filtering[F, R]) typed() tea.Cmd {
	f.wrong = ""
	text := f.field.text()
	if _, err := model.Compile(f.list.fields(), text); err != nil {
		f.wrong = model.Clean(wrongWords(err))
		return nil
	}
	return f.list.setFilter(text)
}

// wrongWords say what is wrong with a filter; the reader sees what it is about.
func wrongWords(err error) string {
	var wrong *model.FilterError
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
