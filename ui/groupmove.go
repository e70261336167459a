package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// resize lays the page out anew; there is room for words from some width on.
func (p *groupPage) resize(width, height int) {
	columns := (p.width < wordsFrom) != (width < wordsFrom)
	p.page.resize(width, height)
	if columns {
		p.column()
	}
	p.lay()
}

// lay gives the nodes the rows that they need, and the holders the rest.
func (p *groupPage) lay() {
	lower := 0
	if n := len(p.holders.table.Rows); n > 0 {
		lower = 1 + n
	}
	upper := max(min(1+len(p.table.Rows), p.height-lower), 2)
	p.table.Resize(p.width, upper)
	p.holders.table.Resize(p.width, max(min(lower, p.height-upper), 0))
	p.table.Blurred, p.holders.table.Blurred = p.holders.focused, !p.holders.focused
}

// holdersRoom is how many pods are told one by one.
func (p *groupPage) holdersRoom() int {
	const small = 20 // rows of the body on a terminal of 24
	return min(max(holdersFew, holdersFew+(p.height-small)/2), holdersMost)
}

func (p *groupPage) body() []string {
	s := p.app.styles()
	lines := p.table.Draw(s)
	if len(p.holders.table.Rows) > 0 && p.holders.table.Height > 1 {
		lines = append(lines, p.holders.table.Draw(s)...)
	}
	return lines
}

// showsUsage says that figures tell what is used.
func (p *groupPage) showsUsage() bool { return p.resource() != "" }

// selected is the node, or the pod that the cursor is on.
func (p *groupPage) selected() selection {
	if row, ok := p.holders.table.Selected(); ok && p.holders.focused && row.pod != nil {
		return podSelection(row.pod)
	}
	row, ok := p.table.Selected()
	if !ok {
		return selection{}
	}
	return selection{ref: model.Ref{Resource: "nodes", Name: row.node.Name, UID: row.node.Object.UID}, node: row.node, copy: row.node.Name}
}

func (p *groupPage) places() keymap.Place {
	if p.selected().pod != nil {
		return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
	}
	return keymap.Everywhere | keymap.Lists | keymap.OnNode | keymap.PodFacts
}

func (p *groupPage) footer() []footKey {
	made := keys(keymap.Open, keymap.Cordon, keymap.Uncordon, keymap.Drain, keymap.Taint, keymap.Fixes, keymap.Words, keymap.Explain, keymap.Label, keymap.Describe, keymap.YAML)
	if p.selected().pod != nil {
		made = keys(keymap.Open, keymap.Evict, keymap.Label, keymap.GoNode, keymap.Fixes, keymap.Words, keymap.Describe, keymap.YAML)
	}
	if len(p.resources) > 1 {
		next := p.resources[(p.shown+1)%len(p.resources)]
		made = append(made, footKey{do: keymap.Right, label: "→", word: model.Clean(string(next))})
	}
	return append(made, keys(keymap.Filter, keymap.Sort, keymap.Close)...)
}

// off tells why a key can do nothing here.
func (p *groupPage) off(do keymap.Action) string {
	on := p.selected()
	switch {
	case aboutPod(do):
		return p.why.off(do)
	case on.pod != nil:
		return p.app.opener.offPod(do, false, on)
	case do == keymap.Open || do == keymap.Explain || do == keymap.Describe || do == keymap.YAML || do == keymap.Copy:
		if on.node == nil {
			return "no node is selected."
		}
		if p.table.SelectedGone() {
			return on.node.Name + " is gone."
		}
	}
	return ""
}

// aboutPod says that a key asks about the pod of a page, whatever is selected.
func aboutPod(do keymap.Action) bool { return keymap.Of(do, keymap.PodFacts).Where == keymap.PodFacts }

// act does what a key asks for.
func (p *groupPage) act(do keymap.Action) tea.Cmd {
	switch {
	case aboutPod(do):
		return p.why.act(do)
	case do == keymap.Open && p.selected().pod == nil:
		return p.app.history.open(newPodsOf(p.app, p.selected().node.Name))
	case p.move(do):
		return p.hold()
	}
	if cmd, done := p.actList(do); done {
		return tea.Batch(cmd, p.hold())
	}
	return p.app.opener.actOn(do, p.selected())
}

// move moves the cursor over both parts, and from one resource to another.
func (p *groupPage) move(do keymap.Action) bool {
	half := max(1, p.height/4)
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

// turn shows the figures of the next resource; false where there is one alone.
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
func (p *groupPage) length() int { return len(p.table.Rows) + len(p.holders.table.Rows) }

// walk moves the cursor by n rows, across the parts.
func (p *groupPage) walk(n int) {
	nodes := len(p.table.Rows)
	at := p.table.Chosen
	if p.holders.focused {
		at = nodes + p.holders.table.Chosen
	}
	at = min(max(at+n, 0), max(p.length()-1, 0))
	if at < nodes {
		p.focus(false)
		p.table.Move(at - p.table.Chosen)
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

// onClick selects a row of either part, and opens the one that is selected.
func (p *groupPage) onClick(x, y int) tea.Cmd {
	if y < p.table.Height {
		was := p.holders.focused
		p.focus(false)
		if was && y > 0 {
			p.table.Move(min(p.table.Top+y-1, len(p.table.Rows)-1) - p.table.Chosen)
			return nil
		}
		return p.list.onClick(x, y)
	}
	t := p.holders.table
	row := t.Top + y - p.table.Height - 1
	if row < t.Top || row >= len(t.Rows) {
		return nil
	}
	if p.holders.focused && row == t.Chosen {
		return p.app.keyboard.do(keymap.Of(keymap.Open, p.places()), p)
	}
	p.focus(true)
	t.Move(row - t.Chosen)
	return nil
}
