package ui

import "github.com/kubectl-fathom/kubectl-fathom/ui/keymap"

// move moves the cursor by n rows and keeps it, and as many rows as there are, in view.
func (t *table[R]) move(n int) {
	t.chosen = min(max(t.chosen+n, 0), max(len(t.rows)-1, 0))
	lines := t.lines()
	t.top = min(max(t.top, t.chosen-lines+1), t.chosen)
	t.top = max(min(t.top, len(t.rows)-lines), 0)
	t.grow()
}

// scroll moves what is in view by n rows; the cursor stays in view.
func (t *table[R]) scroll(n int) {
	lines := t.lines()
	t.top = max(min(t.top+n, len(t.rows)-lines), 0)
	t.chosen = min(max(t.chosen, t.top), t.top+lines-1)
	t.move(0)
}

// act moves, marks or scrolls; it reports whether the action is a table's.
func (t *table[R]) act(do keymap.Action) bool {
	page := t.lines()
	switch do {
	case keymap.Up:
		t.move(-1)
	case keymap.Down:
		t.move(1)
	case keymap.Top:
		t.move(-len(t.rows))
	case keymap.Bottom:
		t.move(len(t.rows))
	case keymap.HalfUp:
		t.move(-page / 2)
	case keymap.HalfDown:
		t.move(page / 2)
	case keymap.PageUp:
		t.move(-page)
	case keymap.PageDown:
		t.move(page)
	case keymap.Left:
		t.shift = max(t.shift-1, 0)
	case keymap.Right:
		if t.cutColumns() {
			t.shift++
		}
	case keymap.Wide:
		t.wide, t.shift = !t.wide, 0
		t.grow()
	default:
		return t.actMark(do)
	}
	return true
}

// actMark marks and unmarks.
func (t *table[R]) actMark(do keymap.Action) bool {
	row, ok := t.selected()
	switch do {
	case keymap.Mark:
		if ok {
			t.mark(row)
		}
		t.move(1)
	case keymap.MarkTo:
		t.markTo()
	case keymap.Unmark:
		clear(t.marks)
	default:
		return false
	}
	return true
}

func (t *table[R]) mark(row R) {
	if id := t.id(row); t.marks[id] {
		delete(t.marks, id)
	} else {
		t.marks[id] = true
	}
}

// markTo marks from the nearest mark above the cursor up to it; without one
// above, from the nearest below.
func (t *table[R]) markTo() {
	if len(t.rows) == 0 {
		return
	}
	from := t.chosen
	for from > 0 && !t.marks[t.id(t.rows[from])] {
		from--
	}
	to := t.chosen
	if !t.marks[t.id(t.rows[from])] {
		from = t.chosen
		for to < len(t.rows)-1 && !t.marks[t.id(t.rows[to])] {
			to++
		}
		if !t.marks[t.id(t.rows[to])] {
			to = t.chosen
		}
	}
	for _, row := range t.rows[from : to+1] {
		t.marks[t.id(row)] = true
	}
}
