package table

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// Move moves the cursor by n rows and keeps it, and as many rows as there are, in view.
func (t *Table[R]) Move(n int) {
	t.Chosen = min(max(t.Chosen+n, 0), max(len(t.Rows)-1, 0))
	lines := t.Lines()
	t.Top = min(max(t.Top, t.Chosen-lines+1), t.Chosen)
	t.Top = max(min(t.Top, len(t.Rows)-lines), 0)
	t.Grow()
}

// Scroll moves what is in view by n rows; the cursor stays in view.
func (t *Table[R]) Scroll(n int) {
	lines := t.Lines()
	t.Top = max(min(t.Top+n, len(t.Rows)-lines), 0)
	t.Chosen = min(max(t.Chosen, t.Top), t.Top+lines-1)
	t.Move(0)
}

// Act moves, marks or scrolls; it reports whether the action is a table's.
func (t *Table[R]) Act(do keymap.Action) bool {
	page := t.Lines()
	if n, ok := keymap.Steps(do, page/2, page, len(t.Rows)); ok {
		t.Move(n)
		return true
	}
	switch do {
	case keymap.Left:
		t.shift = max(t.shift-1, 0)
	case keymap.Right:
		if t.Layout().isCut() {
			t.shift++
		}
	case keymap.Wide:
		t.Wide, t.shift = !t.Wide, 0
		t.Grow()
	default:
		return t.actMark(do)
	}
	return true
}

// actMark marks and unmarks.
func (t *Table[R]) actMark(do keymap.Action) bool {
	row, ok := t.Selected()
	switch do {
	case keymap.Mark:
		if ok {
			t.Marks.turn(t.ID(row))
		}
		t.Move(1)
	case keymap.MarkTo:
		t.Marks.upTo(t.Chosen, len(t.Rows), func(i int) string { return t.ID(t.Rows[i]) })
	case keymap.Unmark:
		clear(t.Marks)
	default:
		return false
	}
	return true
}

// Acted are the rows of an action: the marked ones, else the selected one. gone
// says that none of them exists any more; a plan leaves out those that do not.
func (t *Table[R]) Acted() (rows []R, gone bool) {
	if rows = marked(t.Rows, t.ID, t.Marks); len(rows) == 0 {
		if row, ok := t.Selected(); ok {
			rows = []R{row}
		}
	}
	there := slices.ContainsFunc(rows, func(row R) bool { return !t.Gone[t.ID(row)] })
	return rows, len(rows) > 0 && !there
}

// marked are the rows that are marked.
func marked[R any](rows []R, id func(R) string, marks Marks) (found []R) {
	if len(marks) == 0 {
		return nil
	}
	for _, row := range rows {
		if marks[id(row)] {
			found = append(found, row)
		}
	}
	return found
}

// Marks are the rows that are marked, by their ids.
type Marks map[string]bool

// turn marks a row, or unmarks it.
func (m Marks) turn(id string) {
	if m[id] {
		delete(m, id)
	} else {
		m[id] = true
	}
}

// upTo marks from the closest mark above row at up to it; without one above, from
// the closest one below.
func (m Marks) upTo(at, rows int, id func(int) string) {
	if rows == 0 {
		return
	}
	from, to := at, at
	for from > 0 && !m[id(from)] {
		from--
	}
	if !m[id(from)] {
		from = at
		for to < rows-1 && !m[id(to)] {
			to++
		}
		if !m[id(to)] {
			to = at
		}
	}
	for i := from; i <= to; i++ {
		m[id(i)] = true
	}
}
