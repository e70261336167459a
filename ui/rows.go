package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// rows is a page of one table that is neither filtered nor sorted nor marked.
type rows[R any] struct {
	page
	self  view
	table *table.Table[R]
	below int // lines under the table
}

func (r *rows[R]) resize(width, height int) {
	r.page.resize(width, height)
	r.table.Resize(width, max(height-r.below, 2))
}

func (r *rows[R]) body() []string { return r.table.Draw(r.app.styles()) }

func (r *rows[R]) note() string { return r.table.CutNote(r.width) }

func (r *rows[R]) settle() { r.table.Settle() }

// notOfRows are the keys of lists that mean nothing to these.
var notOfRows = []keymap.Action{keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.NextPart, keymap.PrevPart}

func (r *rows[R]) off(do keymap.Action) string {
	if slices.Contains(notOfRows, do) {
		return "this page is no list."
	}
	return ""
}

// mouse selects a row, or opens the selected one.
func (r *rows[R]) mouse(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		r.table.Scroll(keymap.Wheel(msg))
	case tea.MouseClickMsg:
		row := r.table.Top + msg.Y - 1
		switch {
		case msg.Y == 0 || msg.Y >= r.table.Height || row >= len(r.table.Rows):
		case row == r.table.Chosen:
			return r.app.keyboard.do(keymap.Of(keymap.Open, r.self.places()), r.self)
		default:
			r.table.Move(row - r.table.Chosen)
		}
	}
	return nil
}
