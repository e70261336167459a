package rejectiongroup

import (
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
)

// parts are the two parts of the page: its nodes, and below them the pods that request
// most of what the selected one lacks. The cursor is in one of them.
type parts struct {
	list    *list.Page[*model.Node, *row]
	content *content
	holders *Holders
}

// take takes the group as it is now, and the columns that fit it.
func (p parts) take(g *report.Group) {
	p.content.take(g)
	p.column()
}

// lay gives the nodes as many rows as they need, and the holders the rest.
func (p parts) lay() {
	lower := 0
	if n := len(p.holders.Table.Rows); n > 0 {
		lower = 1 + n
	}
	upper := max(min(1+len(p.list.Table.Rows), p.list.Height-lower), 2)
	p.list.Table.Resize(p.list.Width, upper)
	p.holders.Table.Resize(p.list.Width, max(min(lower, p.list.Height-upper), 0))
	p.list.Table.Blurred, p.holders.Table.Blurred = p.holders.focused, !p.holders.focused
}

// holdersRoom is how many pods have a row each.
func (p parts) holdersRoom() int {
	const small = 20 // rows of the body on a terminal of 24
	return min(max(holdersFew, holdersFew+(p.list.Height-small)/2), holdersMost)
}

// move moves the cursor over both parts, and from one resource to another.
func (p parts) move(do keymap.Action) bool {
	half := max(1, p.list.Height/4)
	if n, ok := keymap.Steps(do, half, 2*half, p.length()); ok {
		p.walk(n)
		return true
	}
	switch do {
	case keymap.NextPart, keymap.PrevPart:
		p.focus(!p.holders.focused)
	case keymap.Left, keymap.Right:
		turned := p.content.turn(do)
		if turned {
			p.column()
		}
		return turned
	case keymap.Mark, keymap.MarkTo, keymap.Unmark:
		return p.holders.focused // pods are not marked here
	default:
		return false
	}
	return true
}

// length is the rows of both parts.
func (p parts) length() int { return len(p.list.Table.Rows) + len(p.holders.Table.Rows) }

// walk moves the cursor by n rows, across the parts.
func (p parts) walk(n int) {
	nodes := len(p.list.Table.Rows)
	at := p.list.Table.Chosen
	if p.holders.focused {
		at = nodes + p.holders.Table.Chosen
	}
	at = min(max(at+n, 0), max(p.length()-1, 0))
	if at < nodes {
		p.focus(false)
		p.list.Table.Move(at - p.list.Table.Chosen)
		return
	}
	p.focus(true)
	p.holders.Table.Move(at - nodes - p.holders.Table.Chosen)
}

// focus puts the cursor into one of the parts.
func (p parts) focus(holders bool) {
	p.holders.focused = holders && len(p.holders.Table.Rows) > 0
	p.lay()
}
