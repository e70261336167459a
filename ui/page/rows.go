package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Rows is a page of one table that cannot be filtered, sorted or marked.
type Rows[R any] struct {
	Base
	Self  View // the page that embeds it
	Table *table.Table[R]
	Below int // lines under the table
}

// Resize implements View.
func (r *Rows[R]) Resize(width, height int) {
	r.Base.Resize(width, height)
	r.Table.Resize(width, max(height-r.Below, 2))
}

// Body implements View.
func (r *Rows[R]) Body() []string { return r.Table.Draw(r.Host.Styles()) }

// Note implements View: the selected row's cut text, and how many rows are hidden.
func (r *Rows[R]) Note() string {
	hidden := table.Hidden(r.Table)
	return WithHidden(r.Table.CutNote(NoteWidth(r.Width, hidden)), hidden, r.Width)
}

// NoteWidth is the width of a note beside the count of hidden rows, on a page of that
// width.
func NoteWidth(width int, hidden string) int {
	if hidden == "" {
		return width
	}
	return width - cells.Width(hidden) - 2
}

// WithHidden puts the count of hidden rows at the end of the row of a note.
func WithHidden(note, hidden string, width int) string {
	if hidden == "" {
		return note
	}
	return cells.Spread(note, hidden, width-2)
}

// Settle lets go of rows whose objects are gone.
func (r *Rows[R]) Settle() { r.Table.Settle() }

// notOfRows are the keys of lists that are not available here.
var notOfRows = []keymap.Action{keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.NextPart, keymap.PrevPart}

// Off implements View.
func (r *Rows[R]) Off(do keymap.Action) string {
	if slices.Contains(notOfRows, do) {
		return "not available on this page."
	}
	return ""
}

// Mouse selects a row, or opens the selected one.
func (r *Rows[R]) Mouse(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		r.Table.Scroll(keymap.Wheel(msg))
	case tea.MouseClickMsg:
		row := r.Table.Top + msg.Y - 1
		switch {
		case msg.Y == 0 || msg.Y >= r.Table.Height || row >= len(r.Table.Rows):
		case row == r.Table.Chosen:
			return r.Host.Press(keymap.Open, r.Self)
		default:
			r.Table.Move(row - r.Table.Chosen)
		}
	}
	return nil
}
