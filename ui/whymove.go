package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/group"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/messages"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/trace"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// Resize lays the page out anew.
func (w *whyView) Resize(width, height int) {
	w.Base.Resize(width, height)
	w.arrange()
}

// arrange keeps the cursor on a row that there is, and that row in view.
func (w *whyView) arrange() {
	d := w.dressed()
	if d.Report == nil {
		return
	}
	r := d.Content().Room(d.Height - why.TopRows)
	if d.Rows(d.Cursor.Part, r) == 0 {
		for part := range why.Parts {
			if d.Rows(part, r) > 0 {
				w.draw.Cursor = why.Cursor{Part: part, Row: 0}
				break
			}
		}
	}
	c := &w.draw.Cursor
	all := d.Rows(c.Part, r)
	c.Row = min(max(0, c.Row), max(0, all-1))
	w.draw.Tops[c.Part], _ = d.Window(c.Part, all, r.Of(c.Part))
	if c.Part == why.PartGroups && c.Row != w.draw.Chosen && all > 0 {
		w.draw.Chosen = c.Row
		w.draw.Tops[why.PartNodes] = 0
	}
}

// Act does what a key asks for.
func (w *whyView) Act(do keymap.Action) tea.Cmd {
	switch do {
	case keymap.Open:
		return w.open()
	case keymap.Trace:
		return w.app.history.open(trace.New(&w.app.host, w.pod))
	case keymap.Words:
		return w.app.history.open(messages.New(&w.app.host, w.pod, w.draw.Report))
	case keymap.Fixes:
		return w.openFixes(0)
	case keymap.Preempt:
		return w.app.opener.actOn(do, page.SelectPod(w.pod))
	case keymap.Describe, keymap.YAML, keymap.GoNode, keymap.Explain:
		return w.app.opener.actOn(do, w.Selected())
	}
	w.move(do)
	return nil
}

// move moves the cursor as the key says.
func (w *whyView) move(do keymap.Action) {
	half := max(1, w.Height/4)
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
func (w *whyView) parts() (rows [why.Parts]int) {
	d := w.dressed()
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
func (w *whyView) length() int {
	sum := 0
	for _, rows := range w.parts() {
		sum += rows
	}
	return sum
}

// walk moves the cursor by n rows, across the parts.
func (w *whyView) walk(n int) {
	rows, at := w.parts(), w.draw.Cursor.Row+n
	for part := range w.draw.Cursor.Part {
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
	w.draw.Cursor = last
	w.arrange()
}

// jump moves the cursor to the part after or before this one.
func (w *whyView) jump(by why.Part) {
	rows, c := w.parts(), &w.draw.Cursor
	for range why.Parts {
		c.Part = (c.Part + by + why.Parts) % why.Parts
		c.Row = 0
		if c.Part == why.PartGroups {
			c.Row = w.draw.Chosen
		}
		if rows[c.Part] > 0 {
			break
		}
	}
	w.arrange()
}

// onMouse selects what is clicked, and opens it when it is selected already.
func (w *whyView) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		w.walk(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		lines := w.lines()
		if msg.Y >= len(lines) || lines[msg.Y].At.Part == why.Parts {
			return nil
		}
		if lines[msg.Y].At == w.draw.Cursor {
			return w.open()
		}
		w.draw.Cursor = lines[msg.Y].At
		w.arrange()
	}
	return nil
}

// open shows the page of the selected group, the pods of the selected node, or the
// selected fix.
func (w *whyView) open() tea.Cmd {
	if w.draw.Cursor.Part == why.PartFixes {
		return w.openFixes(w.draw.Cursor.Row)
	}
	g, ok := w.draw.Group()
	if !ok || w.Off(keymap.Open) != "" {
		return nil
	}
	if w.draw.Cursor.Part == why.PartNodes {
		return w.Host.OpenPods(g.Nodes[w.draw.Cursor.Row])
	}
	return w.app.history.open(group.New(w.Host, ofGroup{w}, g))
}
