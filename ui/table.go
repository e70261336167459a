package ui

import "slices"

// gutter is the room for cursor, mark and a blank.
const gutter = 3

// table shows rows of R, of which it draws only those in view. The selected row
// is kept by its id, and on its line of the screen, while others come and go.
type table[R any] struct {
	columns       []column[R]
	id            func(R) string
	rows          []R
	gone          map[string]bool   // rows in view whose object vanished; until settle
	unmatched     map[string]bool   // rows in view that the filter no longer keeps; until settle
	there         func(R) (R, bool) // the row as it is now, if its object is still there; nil: what is not among the rows is gone
	marks         map[string]bool
	chosen, top   int // index of the selected row, and of the first in view
	changes       changes
	blurred       bool // the cursor is in another part of the page
	width, height int  // the head takes one line of the height
	widths        []int
	wide          bool // every column, whatever the width
	few           bool // neither extra columns nor those of a wider terminal
	shift         int  // columns after the first that are scrolled out at the left
	letters       bool // show which letter sorts by which column
	sorted        int  // the column that rows are sorted by; -1 is their own order
	reversed      bool
	outdated      func(R) bool // whether what the row says may be another by now; nil: it never is
}

func newTable[R any](id func(R) string, columns ...column[R]) *table[R] {
	t := &table[R]{columns: columns, id: id, gone: map[string]bool{}, unmatched: map[string]bool{}, marks: map[string]bool{}, sorted: -1}
	t.widths = make([]int, len(columns))
	for i := range columns {
		t.widths[i] = columns[i].least()
	}
	return t
}

// lines is how many rows there is room for.
func (t *table[R]) lines() int { return max(t.height-1, 1) }

// inView are the rows that are drawn.
func (t *table[R]) inView() []R {
	return t.rows[t.top:min(t.top+t.lines(), len(t.rows))]
}

// selected is the row under the cursor.
func (t *table[R]) selected() (row R, ok bool) {
	if t.chosen >= len(t.rows) {
		return row, false
	}
	return t.rows[t.chosen], true
}

// selectedGone reports whether the row under the cursor has vanished.
func (t *table[R]) selectedGone() bool {
	row, ok := t.selected()
	return ok && t.gone[t.id(row)]
}

func (t *table[R]) resize(width, height int) {
	t.width, t.height = width, height
	t.move(0)
}

// reset shows other rows, as after a new filter: nothing is gone, the selected
// row stays selected if it is among them.
func (t *table[R]) reset(rows []R) {
	keep, had := t.selected()
	line := t.chosen - t.top
	t.rows, t.chosen, t.top = rows, 0, 0
	t.forget()
	if had {
		if at := t.index(t.id(keep)); at >= 0 {
			t.chosen, t.top = at, at-line
		}
	}
	t.move(0)
}

// forget takes no row for one that has vanished.
func (t *table[R]) forget() {
	clear(t.gone)
	clear(t.unmatched)
}

// set shows the same rows after an update. Rows in view that are no longer among
// them stay, as gone, or dim where only the filter no longer keeps them.
func (t *table[R]) set(rows []R) {
	if len(t.rows) == 0 {
		t.reset(rows)
		return
	}
	view, line := t.inView(), t.chosen-t.top
	chosen := t.id(t.rows[t.chosen])
	found := t.find(view, rows)
	t.forget()
	t.rows = rows
	if len(found) < len(view) {
		t.rows = t.weave(view, found, rows)
	}
	t.chosen = max(t.indexNear(chosen, found[chosen]), 0)
	t.top = t.chosen - line
	t.move(0)
}

// nearby is how far rows are looked for from where they were, before all are
// looked through.
const nearby = 100

// find tells where in rows those of view are.
func (t *table[R]) find(view, rows []R) map[string]int {
	wanted := make(map[string]bool, len(view))
	for _, row := range view {
		wanted[t.id(row)] = true
	}
	found := make(map[string]int, len(view))
	search := func(from, to int) bool {
		for i := max(from, 0); i < min(to, len(rows)); i++ {
			if id := t.id(rows[i]); wanted[id] {
				found[id] = i
				if len(found) == len(wanted) {
					return true
				}
			}
		}
		return len(found) == len(wanted)
	}
	if !search(t.top-nearby, t.top+len(view)+nearby) {
		search(0, len(rows))
	}
	return found
}

// weave puts the rows of view that are not found back where they stood: after
// the row that was before them.
func (t *table[R]) weave(view []R, found map[string]int, rows []R) []R {
	type late struct {
		at  int
		row R
	}
	var lates []late
	at := 0
	for _, row := range view {
		id := t.id(row)
		if i, ok := found[id]; ok {
			at = i + 1
			continue
		}
		if now, there := t.now(row); there {
			row, t.unmatched[id] = now, true
		} else {
			t.gone[id] = true
		}
		lates = append(lates, late{min(at, len(rows)), row})
	}
	slices.SortStableFunc(lates, func(a, b late) int { return a.at - b.at })
	woven := make([]R, 0, len(rows)+len(lates))
	done := 0
	for _, l := range lates {
		woven = append(append(woven, rows[done:l.at]...), l.row)
		done = l.at
	}
	return append(woven, rows[done:]...)
}

// now is a row that is no longer among the rows as it is now, if it is still there.
func (t *table[R]) now(row R) (now R, there bool) {
	if t.there == nil {
		return row, false
	}
	return t.there(row)
}

// settle lets go of the rows that are gone or that the filter no longer keeps,
// and of their marks.
func (t *table[R]) settle() {
	if len(t.gone)+len(t.unmatched) == 0 {
		return
	}
	before := 0
	kept := make([]R, 0, len(t.rows))
	for i, row := range t.rows {
		id := t.id(row)
		if !t.gone[id] && !t.unmatched[id] {
			kept = append(kept, row)
			continue
		}
		delete(t.marks, id)
		if i < t.chosen {
			before++
		}
	}
	t.rows = kept
	t.chosen -= before
	t.top -= before
	t.forget()
	t.move(0)
}

func (t *table[R]) index(id string) int {
	return slices.IndexFunc(t.rows, func(row R) bool { return t.id(row) == id })
}

// indexNear is index, tried at and behind a guess first.
func (t *table[R]) indexNear(id string, guess int) int {
	for i := guess; i < min(guess+t.lines()+1, len(t.rows)); i++ {
		if t.id(t.rows[i]) == id {
			return i
		}
	}
	return t.index(id)
}

// marked are the rows that are marked, in their order.
func (t *table[R]) marked() []R {
	if len(t.marks) == 0 {
		return nil
	}
	var rows []R
	for _, row := range t.rows {
		if t.marks[t.id(row)] {
			rows = append(rows, row)
		}
	}
	return rows
}
