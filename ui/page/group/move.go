package group

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Resize lays the page out again; reasons fit from some width on.
func (p *Page) Resize(width, height int) {
	columns := (p.Width < wordsFrom) != (width < wordsFrom)
	p.Base.Resize(width, height)
	if columns {
		p.column()
	}
	p.lay()
}

// lay gives the nodes as many rows as they need, and the holders the rest.
func (p *Page) lay() {
	lower := 0
	if n := len(p.Holders.Table.Rows); n > 0 {
		lower = 1 + n
	}
	upper := max(min(1+len(p.Table.Rows), p.Height-lower), 2)
	p.Table.Resize(p.Width, upper)
	p.Holders.Table.Resize(p.Width, max(min(lower, p.Height-upper), 0))
	p.Table.Blurred, p.Holders.Table.Blurred = p.Holders.focused, !p.Holders.focused
}

// holdersRoom is how many pods have a row each.
func (p *Page) holdersRoom() int {
	const small = 20 // rows of the body on a terminal of 24
	return min(max(holdersFew, holdersFew+(p.Height-small)/2), holdersMost)
}

// Body implements page.View.
func (p *Page) Body() []string {
	s := p.Host.Styles()
	lines := p.Table.Draw(s)
	if len(p.Holders.Table.Rows) > 0 && p.Holders.Table.Height > 1 {
		lines = append(lines, p.Holders.Table.Draw(s)...)
	}
	return lines
}

// ShowsUsage reports whether the figures include usage.
func (p *Page) ShowsUsage() bool { return p.resource() != "" }

// Selected is the node, or the pod that the cursor is on.
func (p *Page) Selected() page.Selection {
	if row, ok := p.Holders.Table.Selected(); ok && p.Holders.focused && row.pod != nil {
		return page.SelectPod(row.pod)
	}
	row, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Ref: model.Ref{Resource: "nodes", Name: row.node.Name, UID: row.node.Object.UID}, Node: row.node, Copy: row.node.Name}
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	if p.Selected().Pod != nil {
		return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
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
func (p *Page) Off(do keymap.Action) string {
	on := p.Selected()
	switch {
	case page.AboutPod(do):
		return p.why.Off(do)
	case on.Pod != nil:
		return page.OffPod(p.Host.Observed(), do, false, on)
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
func (p *Page) Act(do keymap.Action) tea.Cmd {
	switch {
	case page.AboutPod(do):
		return p.why.Act(do)
	case do == keymap.Open && p.Selected().Pod == nil:
		return p.Host.OpenPods(p.Selected().Node.Name)
	case p.move(do):
		return p.hold()
	}
	if cmd, done := p.ActList(do); done {
		return tea.Batch(cmd, p.hold())
	}
	return p.Host.ActOn(do, p.Selected())
}

// move moves the cursor over both parts, and from one resource to another.
func (p *Page) move(do keymap.Action) bool {
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
		p.focus(!p.Holders.focused)
	case keymap.Left, keymap.Right:
		return p.turn(do)
	case keymap.Mark, keymap.MarkTo, keymap.Unmark:
		return p.Holders.focused // pods are not marked here
	default:
		return false
	}
	return true
}

// turn shows the figures of the next resource; false where there is only one.
func (p *Page) turn(do keymap.Action) bool {
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
func (p *Page) length() int { return len(p.Table.Rows) + len(p.Holders.Table.Rows) }

// walk moves the cursor by n rows, across the parts.
func (p *Page) walk(n int) {
	nodes := len(p.Table.Rows)
	at := p.Table.Chosen
	if p.Holders.focused {
		at = nodes + p.Holders.Table.Chosen
	}
	at = min(max(at+n, 0), max(p.length()-1, 0))
	if at < nodes {
		p.focus(false)
		p.Table.Move(at - p.Table.Chosen)
		return
	}
	p.focus(true)
	p.Holders.Table.Move(at - nodes - p.Holders.Table.Chosen)
}

// focus puts the cursor into one of the parts.
func (p *Page) focus(holders bool) {
	p.Holders.focused = holders && len(p.Holders.Table.Rows) > 0
	p.lay()
}

// OnClick selects a row of either part, and opens the one that is selected.
func (p *Page) OnClick(x, y int) tea.Cmd {
	if y < p.Table.Height {
		was := p.Holders.focused
		p.focus(false)
		if was && y > 0 {
			p.Table.Move(min(p.Table.Top+y-1, len(p.Table.Rows)-1) - p.Table.Chosen)
			return nil
		}
		return p.Page.OnClick(x, y)
	}
	t := p.Holders.Table
	row := t.Top + y - p.Table.Height - 1
	if row < t.Top || row >= len(t.Rows) {
		return nil
	}
	if p.Holders.focused && row == t.Chosen {
		return p.Host.Press(keymap.Open, p)
	}
	p.focus(true)
	t.Move(row - t.Chosen)
	return nil
}
