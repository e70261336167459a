package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// resize lays the page out anew.
func (w *why) resize(width, height int) {
	w.page.resize(width, height)
	w.arrange()
}

// arrange keeps the cursor on a row that there is, and that row in view.
func (w *why) arrange() {
	d := w.dressed()
	if d.report == nil {
		return
	}
	r := d.content().room(d.height - whyTopRows)
	if d.rows(d.cursor.part, r) == 0 {
		for part := range whyParts {
			if d.rows(part, r) > 0 {
				w.draw.cursor = whyCursor{part, 0}
				break
			}
		}
	}
	c := &w.draw.cursor
	all := d.rows(c.part, r)
	c.row = min(max(0, c.row), max(0, all-1))
	w.draw.tops[c.part], _ = d.window(c.part, all, r.of(c.part))
	if c.part == partGroups && c.row != w.draw.chosen && all > 0 {
		w.draw.chosen = c.row
		w.draw.tops[partNodes] = 0
	}
}

// rows is how many rows a part has, in view or not; none where it has no room.
func (p *whyPage) rows(part whyPart, r whyRoom) int {
	switch {
	case r.of(part) <= 0:
		return 0
	case part == partGroups:
		return len(p.groups)
	case part == partNodes:
		if g, ok := p.group(); ok && p.wide() && !overAll(g) {
			return len(g.nodes)
		}
		return 0
	case part == partFixes:
		return p.fixRows()
	}
	return len(p.events)
}

// act does what a key asks for.
func (w *why) act(do keymap.Action) tea.Cmd {
	switch do {
	case keymap.Open:
		return w.open()
	case keymap.Trace:
		return w.app.open(newTrace(w.app, w.pod))
	case keymap.Words:
		return w.app.open(newWords(w.app, w.pod, w.draw.report))
	case keymap.Fixes:
		return w.openFixes(0)
	case keymap.Preempt:
		return w.app.actOn(do, podSelection(w.pod))
	case keymap.Describe, keymap.YAML, keymap.GoNode, keymap.Explain:
		return w.app.actOn(do, w.selected())
	}
	w.move(do)
	return nil
}

// move moves the cursor as the key says.
func (w *why) move(do keymap.Action) {
	half := max(1, w.height/4)
	switch do {
	case keymap.Up:
		w.walk(-1)
	case keymap.Down:
		w.walk(1)
	case keymap.HalfUp:
		w.walk(-half)
	case keymap.HalfDown:
		w.walk(half)
	case keymap.PageUp:
		w.walk(-2 * half)
	case keymap.PageDown:
		w.walk(2 * half)
	case keymap.Top:
		w.walk(-w.length())
	case keymap.Bottom:
		w.walk(w.length())
	case keymap.NextPart:
		w.jump(1)
	case keymap.PrevPart:
		w.jump(-1)
	}
}

// parts are the rows of each part that has room on the page.
func (w *why) parts() (rows [whyParts]int) {
	d := w.dressed()
	if d.report == nil {
		return rows
	}
	r := d.content().room(d.height - whyTopRows)
	for part := range whyParts {
		rows[part] = d.rows(part, r)
	}
	return rows
}

// length is the rows of all parts.
func (w *why) length() int {
	sum := 0
	for _, rows := range w.parts() {
		sum += rows
	}
	return sum
}

// walk moves the cursor by n rows, across the parts.
func (w *why) walk(n int) {
	rows, at := w.parts(), w.draw.cursor.row+n
	for part := range w.draw.cursor.part {
		at += rows[part]
	}
	at = max(0, at)
	last := whyCursor{}
	for part := range whyParts {
		if rows[part] == 0 {
			continue
		}
		last = whyCursor{part, min(at, rows[part]-1)}
		if at < rows[part] {
			break
		}
		at -= rows[part]
	}
	w.draw.cursor = last
	w.arrange()
}

// jump moves the cursor to the part after or before this one.
func (w *why) jump(by whyPart) {
	rows, c := w.parts(), &w.draw.cursor
	for range whyParts {
		c.part = (c.part + by + whyParts) % whyParts
		c.row = 0
		if c.part == partGroups {
			c.row = w.draw.chosen
		}
		if rows[c.part] > 0 {
			break
		}
	}
	w.arrange()
}

// onMouse selects what is clicked, and opens it when it is selected already.
func (w *why) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		w.walk(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		lines := w.lines()
		if msg.Y >= len(lines) || lines[msg.Y].at.part == whyParts {
			return nil
		}
		if lines[msg.Y].at == w.draw.cursor {
			return w.open()
		}
		w.draw.cursor = lines[msg.Y].at
		w.arrange()
	}
	return nil
}

// open shows the page of the selected group, the pods of the selected node, or the
// selected fix.
func (w *why) open() tea.Cmd {
	if w.draw.cursor.part == partFixes {
		return w.openFixes(w.draw.cursor.row)
	}
	g, ok := w.draw.group()
	if !ok || w.off(keymap.Open) != "" {
		return nil
	}
	if w.draw.cursor.part == partNodes {
		return w.app.open(newPodsOf(w.app, g.nodes[w.draw.cursor.row]))
	}
	return w.app.open(newGroupPage(w, g))
}

// name is how a group goes in the header of its page.
func (g whyGroup) name() string {
	names := g.plugins()
	switch {
	case len(names) == 0 && g.fits == nil:
		return "not decided"
	case len(names) == 0:
		return "fits"
	case len(names) == 1:
		return names[0] + " alone"
	}
	return strings.Join(names, ", ")
}

// symbol stands before the answer.
func symbolOf(verdict report.Verdict) string {
	switch verdict {
	case report.Unschedulable, report.NotCreated:
		return "✗ "
	case report.Schedulable:
		return "✓ "
	case report.Unknown:
		return "? "
	}
	return ""
}
