package table

// Placed is one column as it is drawn: which, and how wide.
type Placed struct{ Column, Width int }

// Layout decides which columns are drawn, and how wide.
type Layout[R any] struct {
	columns      Columns[R]
	widths       []int // that the columns want
	width, shift int
	wide, few    bool
}

// Layout is the current layout.
func (t *Table[R]) Layout() Layout[R] {
	return Layout[R]{t.Columns, t.Widths, t.Width, t.shift, t.Wide, t.Few}
}

// leastCut is how few cells the last column may be cut to before it drops.
const leastCut = 6

// narrowest is the least width of names beside the column that takes the rest.
const narrowest = 12

// shows reports whether a column is drawn if it fits.
func (l Layout[R]) shows(c *Column[R]) bool {
	few := !c.Extra && c.From == 0
	return l.wide || c.From <= l.width && (few || !l.few)
}

// wanted are the columns to draw, at their widths, if all fit.
func (l Layout[R]) wanted() []Placed {
	var drawn []Placed
	for i := range l.columns {
		if l.shows(&l.columns[i]) {
			drawn = append(drawn, Placed{i, l.widths[i]})
		}
	}
	if l.wide && l.shift > 0 && len(drawn) > 1 {
		drawn = append(drawn[:1:1], drawn[1+min(l.shift, len(drawn)-2):]...)
	}
	return drawn
}

// Place says which columns are drawn and how wide. The column that takes the rest
// gets narrower first; then those at the right are left out.
func (l Layout[R]) Place() []Placed {
	drawn := l.wanted()
	for {
		at, room := l.flexRoom(drawn)
		if at < 0 {
			return l.within(drawn)
		}
		flex := l.columns[drawn[at].Column]
		if at == len(drawn)-1 && at > 0 && room < flex.least() {
			room += narrow(&drawn[0], flex.least()-room)
		}
		least := flex.least()
		switch {
		case len(drawn) == 1:
			least = room // there is nothing else
		case at == len(drawn)-1:
			least = min(least, leastCut)
		}
		if room >= least || l.wide {
			drawn[at].Width = l.flexWidth(drawn, at, room)
			return drawn
		}
		drawn = drawn[:len(drawn)-1]
		drawn[0].Width = l.widths[drawn[0].Column]
	}
}

// within makes columns fit where none takes the rest: the first gets narrower, then
// those at the right are left out.
func (l Layout[R]) within(drawn []Placed) []Placed {
	for !l.wide && len(drawn) > 0 {
		drawn[0].Width = l.widths[drawn[0].Column]
		over := Gutter - l.width
		for i, p := range drawn {
			if over += p.Width; i > 0 {
				over += l.columns[p.Column].Before()
			}
		}
		if over <= narrow(&drawn[0], over) || len(drawn) == 1 {
			break
		}
		drawn = drawn[:len(drawn)-1]
	}
	return drawn
}

// flexRoom is the drawn column that takes the rest, and how much that is.
func (l Layout[R]) flexRoom(drawn []Placed) (at, room int) {
	at, room = -1, l.width-Gutter
	for i, p := range drawn {
		c := &l.columns[p.Column]
		if i > 0 {
			room -= c.Before()
		}
		if c.Flex {
			at = i
			continue
		}
		room -= p.Width
	}
	if at < len(drawn)-1 {
		room-- // a margin, where it is not the last that may be cut
	}
	return at, room
}

// flexWidth is the width of the column that takes the rest: the first one takes what
// it needs, any other all of it.
func (l Layout[R]) flexWidth(drawn []Placed, at, room int) int {
	need := drawn[at].Width
	switch {
	case l.wide && room < need:
		return need
	case at == 0:
		return max(min(need, room), 1)
	}
	return max(room, 1)
}

// isCut reports whether columns are cut off at the right.
func (l Layout[R]) isCut() bool {
	if !l.wide {
		return false
	}
	sum := Gutter
	for _, p := range l.Place() {
		sum += p.Width + l.columns[p.Column].Before()
	}
	return sum-2 > l.width
}

// At is the column whose head is at cell x; -1 if none.
func (l Layout[R]) At(x int) int {
	at := Gutter
	for i, p := range l.Place() {
		if i > 0 {
			at += l.columns[p.Column].Before()
		}
		if x >= at && x < at+p.Width {
			return p.Column
		}
		at += p.Width
	}
	return -1
}

// narrow takes up to n cells from a column and reports how many.
func narrow(p *Placed, n int) int {
	n = max(min(n, p.Width-narrowest), 0)
	p.Width -= n
	return n
}
