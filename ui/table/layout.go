package table

import "slices"

// Placed is one column as it is drawn: which, and how wide.
type Placed struct{ Column, Width int }

// Layout decides which columns are drawn, and how wide.
type Layout[R any] struct {
	columns      Columns[R]
	widths       []int // that the columns want
	width, shift int
	wide, few    bool
	beside       bool
}

// Layout is the current layout.
func (t *Table[R]) Layout() Layout[R] {
	return Layout[R]{t.Columns, t.Widths, t.Width, t.shift, t.Wide, t.Few, t.Beside}
}

// leastCut is how few cells the last column may be cut to before it drops.
const leastCut = 6

// worth is how much of the column that takes the rest is worth more than what stands beside the table.
const worth = 16

// narrowest is the least width of names beside the column that takes the rest.
const narrowest = 12

// usual is the width of terminals whose columns are drawn beside something else, too.
const usual = 120

// shows reports whether a column is drawn if it fits.
func (l Layout[R]) shows(c *Column[R]) bool {
	few := !c.Extra && c.From == 0
	enough := c.From <= l.width || l.beside && c.From <= usual
	return l.wide || enough && (few || !l.few)
}

// wanted are the columns to draw, at their widths, if all fit.
func (l Layout[R]) wanted() []Placed {
	var drawn []Placed
	for i := range l.columns {
		if l.shows(&l.columns[i]) {
			drawn = append(drawn, Placed{i, l.want(i)})
		}
	}
	if l.wide && l.shift > 0 && len(drawn) > 1 {
		drawn = append(drawn[:1:1], drawn[1+min(l.shift, len(drawn)-2):]...)
	}
	return drawn
}

// Place says which columns are drawn and how wide. Bars get narrower first, then the column that takes
// the rest; then columns are left out, those at the right first.
func (l Layout[R]) Place() []Placed {
	drawn := l.wanted()
	for {
		at, room := l.flexRoom(drawn)
		if at < 0 {
			return l.within(drawn)
		}
		room = l.flexShare(drawn, at, room)
		least := l.columns[drawn[at].Column].least()
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
		drawn = l.leaveOut(drawn)
	}
}

// flexShare is the room of the column that takes the rest once others have given way to it: bars, so that
// it is not cut, and names, where it is the last and has less than it needs.
func (l Layout[R]) flexShare(drawn []Placed, at, room int) int {
	if l.wide {
		return room
	}
	flex := &l.columns[drawn[at].Column]
	want := l.widths[drawn[at].Column]
	if at == 0 { // it is the name
		return room + l.shrink(drawn, want-room, func(b *Bar[R]) int { return b.Least })
	}
	room += l.shrink(drawn, want-room, func(b *Bar[R]) int { return b.Good })
	room += l.shrink(drawn, flex.least()-room, func(b *Bar[R]) int { return b.Least })
	if at == len(drawn)-1 && room < flex.least() {
		room += narrow(&drawn[0], flex.least()-room)
	}
	return room
}

// shrink takes n cells from bars, or a few more, so that they stay alike, and reports how many; floor is
// what a bar keeps.
func (l Layout[R]) shrink(drawn []Placed, n int, floor func(*Bar[R]) int) (taken int) {
	for more := true; more && taken < n; {
		more = false
		for i := range drawn {
			if bar := l.columns[drawn[i].Column].Bar; bar != nil && drawn[i].Width > floor(bar) {
				drawn[i].Width--
				taken++
				more = true
			}
		}
	}
	return taken
}

// Need is how many cells a table needs that may get so many: with all columns of that width, their bars at
// a good length, and enough of the column that takes the rest.
func Need[R any](t *Table[R], width int) int {
	l := t.Layout()
	l.width, l.wide, l.beside = width, false, true
	need := Gutter + 1
	for i, p := range l.wanted() {
		c := &l.columns[p.Column]
		if i > 0 {
			need += c.Before()
		}
		switch {
		case c.Bar != nil:
			need += c.Bar.Good
		case c.Flex && i > 0:
			need += max(c.least(), min(p.Width, worth))
		default:
			need += p.Width
		}
	}
	for i := range l.columns {
		if c := &l.columns[i]; l.shows(c) && c.From > usual {
			need = max(need, c.From)
		}
	}
	return need
}

// leaveOut leaves a column out: of those that matter least the one at the right. The others want their
// widths again.
func (l Layout[R]) leaveOut(drawn []Placed) []Placed {
	out := len(drawn) - 1
	for i := out; i > 0; i-- {
		if l.columns[drawn[i].Column].Keep < l.columns[drawn[out].Column].Keep {
			out = i
		}
	}
	drawn = slices.Delete(drawn, out, out+1)
	for i := range drawn {
		drawn[i].Width = l.want(drawn[i].Column)
	}
	return drawn
}

// want is how wide a column is where there is room for all.
func (l Layout[R]) want(column int) int {
	if bar := l.columns[column].Bar; bar != nil {
		return bar.Most
	}
	return l.widths[column]
}

// within makes columns fit where none takes the rest: bars get narrower, then the first, then those at
// the right are left out.
func (l Layout[R]) within(drawn []Placed) []Placed {
	for !l.wide && len(drawn) > 0 {
		over := Gutter - l.width
		for i, p := range drawn {
			if over += p.Width; i > 0 {
				over += l.columns[p.Column].Before()
			}
		}
		over -= l.shrink(drawn, over, func(b *Bar[R]) int { return b.Least })
		if over <= narrow(&drawn[0], over) || len(drawn) == 1 {
			break
		}
		drawn = l.leaveOut(drawn)
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
