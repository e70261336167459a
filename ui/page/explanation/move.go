package explanation

import (
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// arrange keeps the cursor on a row that there is, and that row in view.
func arrange(d *why.Page) {
	if d.Report == nil {
		return
	}
	r := d.Content().Room(d.Height - why.TopRows)
	if d.Rows(d.Cursor.Part, r) == 0 {
		for part := range why.Parts {
			if d.Rows(part, r) > 0 {
				d.Cursor = why.Cursor{Part: part, Row: 0}
				break
			}
		}
	}
	c := &d.Cursor
	all := d.Rows(c.Part, r)
	c.Row = min(max(0, c.Row), max(0, all-1))
	d.Tops[c.Part], _ = d.Window(c.Part, all, r.Of(c.Part))
	if c.Part == why.PartGroups && c.Row != d.Chosen && all > 0 {
		d.Chosen = c.Row
		d.Tops[why.PartNodes] = 0
	}
}

// move moves the cursor as the key says.
func move(d *why.Page, do keymap.Action) {
	half := max(1, d.Height/4)
	if n, ok := keymap.Steps(do, half, 2*half, length(d)); ok {
		walk(d, n)
	}
	switch do {
	case keymap.NextPart:
		jump(d, 1)
	case keymap.PrevPart:
		jump(d, -1)
	}
}

// parts are the rows of each part that has room on the page.
func parts(d *why.Page) (rows [why.Parts]int) {
	if d.Report == nil {
		return rows
	}
	r := d.Content().Room(d.Height - why.TopRows)
	for part := range why.Parts {
		rows[part] = d.Rows(part, r)
	}
	return rows
}

// length is the rows of all parts.
func length(d *why.Page) int {
	sum := 0
	for _, rows := range parts(d) {
		sum += rows
	}
	return sum
}

// walk moves the cursor by n rows, across the parts.
func walk(d *why.Page, n int) {
	rows, at := parts(d), d.Cursor.Row+n
	for part := range d.Cursor.Part {
		at += rows[part]
	}
	at = max(0, at)
	last := why.Cursor{}
	for part := range why.Parts {
		if rows[part] == 0 {
			continue
		}
		last = why.Cursor{Part: part, Row: min(at, rows[part]-1)}
		if at < rows[part] {
			break
		}
		at -= rows[part]
	}
	d.Cursor = last
	arrange(d)
}

// jump moves the cursor to the part after or before this one.
func jump(d *why.Page, by why.Part) {
	rows, c := parts(d), &d.Cursor
	for range why.Parts {
		c.Part = (c.Part + by + why.Parts) % why.Parts
		c.Row = 0
		if c.Part == why.PartGroups {
			c.Row = d.Chosen
		}
		if rows[c.Part] > 0 {
			break
		}
	}
	arrange(d)
}
