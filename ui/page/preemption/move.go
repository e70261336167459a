package preemption

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Selected is the victim that the cursor is on, else the pod of the page.
func (p *Page) Selected() page.Selection {
	if v, ok := p.victims.Selected(); ok && p.focused {
		if pod, ok := p.Host.Observed().Snapshot.PodNamed(v.Namespace, v.Name); ok {
			return page.SelectPod(pod)
		}
		return page.Selection{Copy: v.Namespace + "/" + v.Name}
	}
	return page.SelectPod(p.Pod)
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	return page.Keys(keymap.Open, keymap.GoNode, keymap.Words, keymap.Describe, keymap.Close)
}

// Off tells why a key can do nothing here.
func (p *Page) Off(do keymap.Action) string {
	switch do {
	case keymap.GoNode:
		if p.of == "" {
			return "no node is selected."
		}
	case keymap.Preempt:
		return "this page shows preemption."
	case keymap.Open, keymap.Explain, keymap.Describe, keymap.YAML:
		if on := p.Selected(); on.Pod == nil {
			return page.AbsentPod(p.Host.Observed(), nil, on.Copy)
		}
		return page.OffPod(p.Host.Observed(), do, p.Gone && !p.focused, p.Selected())
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide:
		return "not available on this page."
	}
	return ""
}

// Act does what a key asks for. W is about the pod of the page, o about the node
// of the selected row.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	half := max(1, p.Height/4)
	if n, ok := keymap.Steps(do, half, 2*half, p.length()); ok {
		return p.walk(n)
	}
	switch do {
	case keymap.NextPart, keymap.PrevPart:
		p.focus(!p.focused)
	case keymap.GoNode:
		return p.Host.GoNode(p.of)
	case keymap.Words:
		return p.Host.ActOn(do, page.SelectPod(p.Pod))
	default:
		return p.Host.ActOn(do, p.Selected())
	}
	return nil
}

// length is the rows of both parts.
func (p *Page) length() int { return len(p.nodes.Rows) + len(p.victims.Rows) }

// walk moves the cursor by n rows, across the parts; another node may have to be
// asked about.
func (p *Page) walk(n int) tea.Cmd {
	nodes, at := len(p.nodes.Rows), p.nodes.Chosen
	if p.focused {
		at = nodes + p.victims.Chosen
	}
	at = min(max(at+n, 0), max(p.length()-1, 0))
	if at >= nodes {
		p.focus(true)
		p.victims.Move(at - nodes - p.victims.Chosen)
		return nil
	}
	p.focus(false)
	p.nodes.Move(at - p.nodes.Chosen)
	p.follow()
	return p.ask()
}

// focus puts the cursor into one of the parts.
func (p *Page) focus(victims bool) {
	p.focused = victims && len(p.victims.Rows) > 0
	p.lay()
}

// onMouse scrolls, selects what is clicked, and opens what was selected.
func (p *Page) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return p.walk(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		return p.onClick(msg.Y)
	}
	return nil
}

func (p *Page) onClick(y int) tea.Cmd {
	if p.plan == nil {
		return nil
	}
	row := y - 2 // what the pod asks for, and the heads
	if row >= 0 && row < len(p.nodes.InView()) {
		p.focus(false)
		p.nodes.Move(p.nodes.Top + row - p.nodes.Chosen)
		p.follow()
		return p.ask()
	}
	row = y - (p.victimsAt() + 1)
	if row < 0 || row >= len(p.victims.InView()) || p.victims.Height < 2 {
		return nil
	}
	was := p.focused && p.victims.Top+row == p.victims.Chosen
	p.focus(true)
	p.victims.Move(p.victims.Top + row - p.victims.Chosen)
	if was {
		return p.Host.Press(keymap.Open, p)
	}
	return nil
}

// victimsAt is the row of the body in which the heads of the victims stand.
func (p *Page) victimsAt() int {
	at := 1 + 1 + len(p.nodes.InView()) + 1
	if len(p.nodes.Rows) > p.nodes.Top+p.nodes.Lines() {
		at++
	}
	return at + len(others(p.Host.Observed(), p.plan, p.Width))
}
