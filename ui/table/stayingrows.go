package table

import "slices"

// Set shows the same rows after an update. Rows in view that are no longer among
// them stay, as gone, or dim where only the filter no longer keeps them.
func (t *Table[R]) Set(rows []R) {
	if len(t.Rows) == 0 {
		t.Reset(rows)
		return
	}
	view, line := t.InView(), t.Chosen-t.Top
	chosen := t.ID(t.Rows[t.Chosen])
	found := find(view, rows, t.ID, t.Top)
	t.forget()
	t.Rows = rows
	if len(found) < len(view) {
		var moved map[string]string
		if t.Rows, moved = t.weave(view, found, rows); moved[chosen] != "" {
			chosen = moved[chosen]
		}
	}
	t.Chosen = max(t.index(chosen, found[chosen]), 0)
	t.Top = t.Chosen - line
	t.Move(0)
}

// nearby is how far from its old place a row is searched before all are searched.
const nearby = 100

// find finds the rows of view in rows, by their ids; near is where the first of them
// was.
func find[R any](view, rows []R, id func(R) string, near int) map[string]int {
	wanted := make(map[string]bool, len(view))
	for _, row := range view {
		wanted[id(row)] = true
	}
	found := make(map[string]int, len(view))
	search := func(from, to int) bool {
		for i := max(from, 0); i < min(to, len(rows)); i++ {
			if id := id(rows[i]); wanted[id] {
				found[id] = i
				if len(found) == len(wanted) {
					return true
				}
			}
		}
		return len(found) == len(wanted)
	}
	if !search(near-nearby, near+len(view)+nearby) {
		search(0, len(rows))
	}
	return found
}

// weave puts the rows of view that are not found back to their old place: after the
// row that was before them. Those that another row covers are left out, with their marks;
// moved has that row's id by theirs.
func (t *Table[R]) weave(view []R, found map[string]int, rows []R) (woven []R, moved map[string]string) {
	type late struct {
		at  int
		row R
	}
	var lates []late
	var kept []R
	at := 0
	moved = map[string]string{}
	for _, row := range view {
		id := t.ID(row)
		if i, ok := found[id]; ok {
			at = i + 1
			continue
		}
		if now, there := nowOf(t, row); !there {
			t.Gone[id] = true
		} else if by, ok := coveredBy(t, now, rows, kept); ok {
			moved[id] = t.ID(by)
			delete(t.Marks, id)
			continue
		} else {
			row, t.unmatched[id] = now, true
		}
		kept = append(kept, row)
		lates = append(lates, late{min(at, len(rows)), row})
	}
	slices.SortStableFunc(lates, func(a, b late) int { return a.at - b.at })
	woven = make([]R, 0, len(rows)+len(lates))
	done := 0
	for _, l := range lates {
		woven = append(append(woven, rows[done:l.at]...), l.row)
		done = l.at
	}
	return append(woven, rows[done:]...), moved
}

// nowOf is a row as it is now, if its object is still there.
func nowOf[R any](t *Table[R], row R) (now R, there bool) {
	if t.There == nil {
		return row, false
	}
	return t.There(row)
}

// coveredBy is the row of one of the lists that shows what row does.
func coveredBy[R any](t *Table[R], row R, lists ...[]R) (by R, ok bool) {
	if t.Covers == nil {
		return by, false
	}
	for _, rows := range lists {
		if at := slices.IndexFunc(rows, func(other R) bool { return t.Covers(other, row) }); at >= 0 {
			return rows[at], true
		}
	}
	return by, false
}

// Settle drops the rows that are gone or that the filter no longer keeps, and their
// marks.
func (t *Table[R]) Settle() {
	if len(t.Gone)+len(t.unmatched) == 0 {
		return
	}
	before := 0
	kept := make([]R, 0, len(t.Rows))
	for i, row := range t.Rows {
		id := t.ID(row)
		if !t.Gone[id] && !t.unmatched[id] {
			kept = append(kept, row)
			continue
		}
		delete(t.Marks, id)
		if i < t.Chosen {
			before++
		}
	}
	t.Rows = kept
	t.Chosen -= before
	t.Top -= before
	t.forget()
	t.Move(0)
}

// index is where the row of an id is, searched at and behind a guess first; -1 if
// there is none.
func (t *Table[R]) index(id string, guess int) int {
	for i := guess; i < min(guess+t.Lines()+1, len(t.Rows)); i++ {
		if t.ID(t.Rows[i]) == id {
			return i
		}
	}
	return slices.IndexFunc(t.Rows, func(row R) bool { return t.ID(row) == id })
}
