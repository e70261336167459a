package explanation

// Room is how many rows each part of the page gets.
type Room struct {
	rest, facts, head, groups, counts, nodes, closest, fixes, preemption, quotes, events int

	afterTop, afterFacts, beforeNodes, beforePreemption, beforeQuotes, beforeEvents int // blank rows

	left int
}

// take gives part up to want rows of what is left.
func (r *Room) take(part *int, want int) {
	n := min(max(0, want-*part), r.left)
	*part += n
	r.left -= n
}

// What of a part is worth more than anything after it, in rows.
const (
	whyFewGroups   = 5
	whyFewClosest  = 4
	whyMostClosest = 6
	whyFewNodes    = 3
	whyFewEvents   = 2
	fewFixes       = 3
)

// TopRows stand above the parts: what the pod is, and the agreement.
const TopRows = 2

// Room shares rows out, to the parts that say most first. Where there is little
// the closest node goes, then the rows rejects and only; where there is more than the
// least, most goes to the part that hides most.
func (c Content) Room(rows int) Room {
	r := Room{left: max(0, rows)}
	c.least(&r)
	c.few(&r)
	kept := min(r.left, c.events+c.quoteRows()-r.quotes+len(c.preemption)-r.preemption, 1+whyFewEvents)
	r.left -= kept
	r.take(&r.groups, c.groups)
	r.take(&r.closest, len(c.closest))
	c.moreFixes(&r)
	r.left += kept
	r.take(&r.preemption, len(c.preemption))
	r.take(&r.facts, len(c.facts))
	quotes := c.quoteRows()
	if c.events > 0 && r.quotes+r.left >= 4 {
		quotes = min(quotes, r.quotes+r.left-2) // a heading and a row are left for the events
	}
	r.take(&r.quotes, quotes)
	if c.events > 0 && r.left >= 2 {
		r.take(&r.beforeEvents, min(1, r.left-2))
		r.take(&r.events, 1+c.events)
	}
	if len(c.rest) <= r.left {
		r.take(&r.rest, len(c.rest))
	}
	if r.nodes > 0 {
		r.take(&r.nodes, 1+c.nodes)
	}
	return r
}

// least gives each part what it cannot do without, as far as there is room.
func (c Content) least(r *Room) {
	r.take(&r.facts, min(len(c.facts), max(3, r.left/2)))
	if c.groups > 0 {
		r.take(&r.head, 1)
		r.take(&r.groups, min(c.groups, whyFewGroups))
	}
	r.take(&r.fixes, min(2, c.fixes.least()))
	r.take(&r.preemption, min(len(c.preemption), 1))
	r.take(&r.quotes, c.foremost)
	if c.groups > 0 && r.left >= 2 {
		r.take(&r.counts, 2)
	}
}

// few gives each part a few rows, and sets those apart that have no rule.
func (c Content) few(r *Room) {
	if (c.wide || c.groups == 0) && !c.apart {
		r.take(&r.afterTop, 1)
	}
	if r.facts > 0 && r.head > 0 {
		r.take(&r.afterFacts, 1)
	}
	if r.left >= c.closestFew {
		r.take(&r.closest, c.closestFew)
	} else if few := min(c.closestFew, whyFewClosest); r.left >= few {
		r.take(&r.closest, few)
	}
	r.take(&r.quotes, c.said)
	r.take(&r.fixes, c.fixes.least())
	if want := 1 + min(c.nodes, whyFewNodes); c.nodes > 0 && r.left > want {
		r.take(&r.nodes, want)
		r.take(&r.beforeNodes, 1)
	}
	switch {
	case r.fixes > 0:
	case r.preemption > 0:
		r.take(&r.beforePreemption, 1)
	case r.left > 2 && len(c.quotes) > 0:
		r.take(&r.beforeQuotes, 1)
	}
}

// moreFixes shows more of the fixes, and on a wide screen sets them apart from what
// follows.
func (c Content) moreFixes(r *Room) {
	if r.fixes == 0 {
		return
	}
	r.take(&r.fixes, c.fixes.most())
	switch {
	case !c.wide:
	case r.preemption > 0:
		r.take(&r.beforePreemption, 1)
	case r.left > 2 && len(c.quotes) > 0:
		r.take(&r.beforeQuotes, 1)
	}
}

// quoteRows is how many rows all quotes take.
func (c Content) quoteRows() int {
	rows := 0
	for _, q := range c.quotes {
		rows += 1 + len(q.lines)
	}
	return rows
}

// Of is how many rows a part that the cursor walks through has on the screen.
func (r Room) Of(part Part) int {
	switch part {
	case PartGroups:
		return r.groups
	case PartNodes:
		return r.nodes - 1
	case PartFixes:
		return r.fixes - 1
	}
	return r.events - 1
}
