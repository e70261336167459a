package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// selected is the victim that the cursor is on, else the pod of the page.
func (p *preemption) selected() selection {
	if v, ok := p.victims.Selected(); ok && p.focused {
		if pod, ok := p.app.observed.snapshot.PodNamed(v.Namespace, v.Name); ok {
			return podSelection(pod)
		}
		return selection{copy: v.Namespace + "/" + v.Name}
	}
	return podSelection(p.pod)
}

func (p *preemption) places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.PodFacts
}

func (p *preemption) footer() []footKey {
	return keys(keymap.Open, keymap.GoNode, keymap.Words, keymap.Describe, keymap.Close)
}

// off tells why a key can do nothing here.
func (p *preemption) off(do keymap.Action) string {
	switch do {
	case keymap.GoNode:
		if p.of == "" {
			return "no node is selected."
		}
	case keymap.Preempt:
		return "this page shows it."
	case keymap.Open, keymap.Explain, keymap.Describe, keymap.YAML:
		if on := p.selected(); on.pod == nil {
			return on.copy + " is gone."
		}
		return p.app.opener.offPod(do, p.gone && !p.focused, p.selected())
	case keymap.Filter, keymap.Sort, keymap.Reverse, keymap.Mark, keymap.MarkTo, keymap.Unmark, keymap.Wide:
		return "this page is no list."
	}
	return ""
}

// act does what a key asks for. W is about the pod of the page, o about the node
// of the selected row.
func (p *preemption) act(do keymap.Action) tea.Cmd {
	half := max(1, p.height/4)
	steps := map[keymap.Action]int{
		keymap.Up: -1, keymap.Down: 1, keymap.HalfUp: -half, keymap.HalfDown: half, keymap.PageUp: -2 * half, keymap.PageDown: 2 * half,
		keymap.Top: -p.length(), keymap.Bottom: p.length(),
	}
	if n, ok := steps[do]; ok {
		return p.walk(n)
	}
	switch do {
	case keymap.NextPart, keymap.PrevPart:
		p.focus(!p.focused)
	case keymap.GoNode:
		return p.app.opener.goNode(p.of)
	case keymap.Words:
		return p.app.opener.actOn(do, podSelection(p.pod))
	default:
		return p.app.opener.actOn(do, p.selected())
	}
	return nil
}

// length is the rows of both parts.
func (p *preemption) length() int { return len(p.nodes.Rows) + len(p.victims.Rows) }

// walk moves the cursor by n rows, across the parts; another node may have to be
// asked about.
func (p *preemption) walk(n int) tea.Cmd {
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
func (p *preemption) focus(victims bool) {
	p.focused = victims && len(p.victims.Rows) > 0
	p.lay()
}

// onMouse scrolls, selects what is clicked, and opens what was selected.
func (p *preemption) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return p.walk(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		return p.onClick(msg.Y)
	}
	return nil
}

func (p *preemption) onClick(y int) tea.Cmd {
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
		return p.app.keyboard.do(keymap.Of(keymap.Open, p.places()), p)
	}
	return nil
}

// victimsAt is the row of the body in which the heads of the victims stand.
func (p *preemption) victimsAt() int {
	at := 1 + 1 + len(p.nodes.InView()) + 1
	if len(p.nodes.Rows) > p.nodes.Top+p.nodes.Lines() {
		at++
	}
	return at + len(p.others())
}
