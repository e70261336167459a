package ui

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
func (t *table[R]) act(do action) bool {
	page := t.lines()
	switch do {
	case doUp:
		t.move(-1)
	case doDown:
		t.move(1)
	case doTop:
		t.move(-len(t.rows))
	case doBottom:
		t.move(len(t.rows))
	case doHalfUp:
		t.move(-page / 2)
	case doHalfDown:
		t.move(page / 2)
	case doPageUp:
		t.move(-page)
	case doPageDown:
		t.move(page)
	case doLeft:
		t.shift = max(t.shift-1, 0)
	case doRight:
		if t.cutColumns() {
			t.shift++
		}
	case doWide:
		t.wide, t.shift = !t.wide, 0
		t.grow()
	default:
		return t.actMark(do)
	}
	return true
}

// actMark marks and unmarks.
func (t *table[R]) actMark(do action) bool {
	row, ok := t.selected()
	switch do {
	case doMark:
		if ok {
			t.mark(row)
		}
		t.move(1)
	case doMarkTo:
		t.markTo()
	case doUnmark:
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
