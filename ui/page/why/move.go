package why

import (
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// arrange keeps the cursor on a row that there is, and that row in view.
func arrange(d *explanation.Drawing) {
	if d.Report == nil {
		return
	}
	r := d.Content().Room(d.Height - explanation.TopRows)
	if d.Rows(d.Cursor.Part, r) == 0 {
		for part := range explanation.Parts {
			if d.Rows(part, r) > 0 {
				d.Cursor = explanation.Cursor{Part: part, Row: 0}
				break
			}
		}
	}
	c := &d.Cursor
	all := d.Rows(c.Part, r)
	c.Row = min(max(0, c.Row), max(0, all-1))
	d.Tops[c.Part], _ = d.Window(c.Part, all, r.Of(c.Part))
	if c.Part == explanation.PartGroups && c.Row != d.Chosen && all > 0 {
		d.Chosen = c.Row
		d.Tops[explanation.PartNodes] = 0
	}
}

// move moves the cursor as the key says.
func move(d *explanation.Drawing, do keymap.Action) {
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
func parts(d *explanation.Drawing) (rows [explanation.Parts]int) {
	if d.Report == nil {
		return rows
	}
	r := d.Content().Room(d.Height - explanation.TopRows)
	for part := range explanation.Parts {
		rows[part] = d.Rows(part, r)
	}
	return rows
}

// length is the rows of all parts.
func length(d *explanation.Drawing) int {
	sum := 0
	for _, rows := range parts(d) {
		sum += rows
	}
	return sum
}

// walk moves the cursor by n rows, across the parts.
func walk(d *explanation.Drawing, n int) {
	rows, at := parts(d), d.Cursor.Row+n
	for part := range d.Cursor.Part {
		at += rows[part]
	}
	at = max(0, at)
	last := explanation.Cursor{}
	for part := range explanation.Parts {
		if rows[part] == 0 {
			continue
		}
		last = explanation.Cursor{Part: part, Row: min(at, rows[part]-1)}
		if at < rows[part] {
			break
		}
		at -= rows[part]
	}
	d.Cursor = last
	arrange(d)
}

// jump moves the cursor to the part after or before this one.
func jump(d *explanation.Drawing, by explanation.Part) {
	rows, c := parts(d), &d.Cursor
	for range explanation.Parts {
		c.Part = (c.Part + by + explanation.Parts) % explanation.Parts
		c.Row = 0
		if c.Part == explanation.PartGroups {
			c.Row = d.Chosen
		}
		if rows[c.Part] > 0 {
			break
		}
	}
	arrange(d)
}
