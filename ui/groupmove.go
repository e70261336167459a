package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Resize lays the page out again; reasons fit from some width on.
func (p *groupPage) Resize(width, height int) {
	columns := (p.Width < wordsFrom) != (width < wordsFrom)
	p.Base.Resize(width, height)
	if columns {
		p.column()
	}
	p.lay()
}

// lay gives the nodes as many rows as they need, and the holders the rest.
func (p *groupPage) lay() {
	lower := 0
	if n := len(p.holders.table.Rows); n > 0 {
		lower = 1 + n
	}
	upper := max(min(1+len(p.Table.Rows), p.Height-lower), 2)
	p.Table.Resize(p.Width, upper)
	p.holders.table.Resize(p.Width, max(min(lower, p.Height-upper), 0))
	p.Table.Blurred, p.holders.table.Blurred = p.holders.focused, !p.holders.focused
}

// holdersRoom is how many pods have a row each.
func (p *groupPage) holdersRoom() int {
	const small = 20 // rows of the body on a terminal of 24
	return min(max(holdersFew, holdersFew+(p.Height-small)/2), holdersMost)
}

func (p *groupPage) Body() []string {
	s := p.app.styles()
	lines := p.Table.Draw(s)
	if len(p.holders.table.Rows) > 0 && p.holders.table.Height > 1 {
		lines = append(lines, p.holders.table.Draw(s)...)
	}
	return lines
}

// ShowsUsage reports whether the figures include usage.
func (p *groupPage) ShowsUsage() bool { return p.resource() != "" }

// Selected is the node, or the pod that the cursor is on.
func (p *groupPage) Selected() page.Selection {
	if row, ok := p.holders.table.Selected(); ok && p.holders.focused && row.pod != nil {
		return page.SelectPod(row.pod)
	}
	row, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Ref: model.Ref{Resource: "nodes", Name: row.node.Name, UID: row.node.Object.UID}, Node: row.node, Copy: row.node.Name}
}

func (p *groupPage) Places() keymap.Place {
	if p.Selected().Pod != nil {
		return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
}

func (p *groupPage) Footer() []page.Key {
	made := page.Keys(keymap.Open, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Fixes, keymap.Words, keymap.Explain, keymap.Label, keymap.Describe, keymap.YAML)
	if p.Selected().Pod != nil {
		made = page.Keys(keymap.Open, keymap.Evict, keymap.Label, keymap.GoNode, keymap.Fixes, keymap.Words, keymap.Describe, keymap.YAML)
	}
	if len(p.resources) > 1 {
		next := p.resources[(p.shown+1)%len(p.resources)]
		made = append(made, page.Key{Do: keymap.Right, Label: "→", Word: model.Clean(string(next))})
	}
	return append(made, page.Keys(keymap.Filter, keymap.Sort, keymap.Close)...)
}

// Off says why a key cannot act here.
func (p *groupPage) Off(do keymap.Action) string {
	on := p.Selected()
	switch {
	case page.AboutPod(do):
		return p.why.Off(do)
	case on.Pod != nil:
		return page.OffPod(&p.app.observed, do, false, on)
	case do == keymap.Open || do == keymap.Explain || do == keymap.Describe || do == keymap.YAML || do == keymap.Copy:
		if on.Node == nil {
			return "no node is selected."
		}
		if p.Table.SelectedGone() {
			return on.Node.Name + " is gone."
		}
	}
	return ""
}

// Act does what a key asks for.
func (p *groupPage) Act(do keymap.Action) tea.Cmd {
	switch {
	case page.AboutPod(do):
		return p.why.Act(do)
	case do == keymap.Open && p.Selected().Pod == nil:
		return p.app.history.open(newPodsOf(p.app, p.Selected().Node.Name))
	case p.move(do):
		return p.hold()
	}
	if cmd, done := p.ActList(do); done {
		return tea.Batch(cmd, p.hold())
	}
	return p.app.opener.actOn(do, p.Selected())
}

// move moves the cursor over both parts, and from one resource to another.
func (p *groupPage) move(do keymap.Action) bool {
	half := max(1, p.Height/4)
	steps := map[keymap.Action]int{
		keymap.Up: -1, keymap.Down: 1, keymap.HalfUp: -half, keymap.HalfDown: half, keymap.PageUp: -2 * half, keymap.PageDown: 2 * half,
		keymap.Top: -p.length(), keymap.Bottom: p.length(),
	}
	if n, ok := steps[do]; ok {
		p.walk(n)
		return true
	}
	switch do {
	case keymap.NextPart, keymap.PrevPart:
		p.focus(!p.holders.focused)
	case keymap.Left, keymap.Right:
		return p.turn(do)
	case keymap.Mark, keymap.MarkTo, keymap.Unmark:
		return p.holders.focused // pods are not marked here
	default:
		return false
	}
	return true
}

// turn shows the figures of the next resource; false where there is only one.
func (p *groupPage) turn(do keymap.Action) bool {
	n := len(p.resources)
	if n < 2 {
		return false
	}
	by := 1
	if do == keymap.Left {
		by = n - 1
	}
	p.shown = (p.shown + by) % n
	p.column()
	return true
}

// length is the rows of both parts.
func (p *groupPage) length() int { return len(p.Table.Rows) + len(p.holders.table.Rows) }

// walk moves the cursor by n rows, across the parts.
func (p *groupPage) walk(n int) {
	nodes := len(p.Table.Rows)
	at := p.Table.Chosen
	if p.holders.focused {
		at = nodes + p.holders.table.Chosen
	}
	at = min(max(at+n, 0), max(p.length()-1, 0))
	if at < nodes {
		p.focus(false)
		p.Table.Move(at - p.Table.Chosen)
		return
	}
	p.focus(true)
	p.holders.table.Move(at - nodes - p.holders.table.Chosen)
}

// focus puts the cursor into one of the parts.
func (p *groupPage) focus(holders bool) {
	p.holders.focused = holders && len(p.holders.table.Rows) > 0
	p.lay()
}

// OnClick selects a row of either part, and opens the one that is selected.
func (p *groupPage) OnClick(x, y int) tea.Cmd {
	if y < p.Table.Height {
		was := p.holders.focused
		p.focus(false)
		if was && y > 0 {
			p.Table.Move(min(p.Table.Top+y-1, len(p.Table.Rows)-1) - p.Table.Chosen)
			return nil
		}
		return p.Page.OnClick(x, y)
	}
	t := p.holders.table
	row := t.Top + y - p.Table.Height - 1
	if row < t.Top || row >= len(t.Rows) {
		return nil
	}
	if p.holders.focused && row == t.Chosen {
		return p.app.keyboard.do(keymap.Of(keymap.Open, p.Places()), p)
	}
	p.focus(true)
	t.Move(row - t.Chosen)
	return nil
}
