// Package fixes is the page of the fixes that were simulated for a pod.
package fixes

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Page is the page. It shows the fixes that were simulated for a pod.
type Page struct {
	page.PodPoll[*report.Fixes]
	chosen int // the selected fix
	top    int // the first one in view
}

// New makes the page about one pod.
func New(h page.Host, pod *model.Pod) *Page {
	p := &Page{}
	p.Host, p.Pod = h, pod
	return p
}

// NewOf is New with the answer that another page has, and the fix that is selected.
func NewOf(h page.Host, pod *model.Pod, known *Poll, chosen int) *Page {
	p := New(h, pod)
	p.chosen = chosen
	if known.Value != nil && known.Value.Left == 0 {
		p.Poll.Seed(known.Value, known.Revision())
	}
	return p
}

// Update takes snapshots, answers and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(tea.MouseMsg); ok {
		p.onMouse(msg)
		return nil
	}
	title := ""
	if f, ok := p.fix(); ok {
		title = f.Title
	}
	return p.Follow(p, msg, func() tea.Cmd { // the fix that was selected stays so
		p.chosen = IndexOf(p.Poll.Value, title, p.chosen)
		p.arrange()
		return nil
	}, p.ask)
}

// ask asks which fixes work, unless that is known, asked for, or nobody looks.
func (p *Page) ask() tea.Cmd {
	if p.Gone {
		return nil
	}
	return Ask(&p.Poll, p.Host, p, p.Pod.Object.UID)
}

// fix is the selected one.
func (p *Page) fix() (*report.Fix, bool) {
	tried := p.tried()
	if p.chosen >= len(tried) {
		return nil, false
	}
	return &tried[p.chosen], true
}

// tried are the fixes of the newest answer.
func (p *Page) tried() []report.Fix { return tried(p.Poll.Value) }

// Resize implements page.View.
func (p *Page) Resize(width, height int) {
	p.Base.Resize(width, height)
	p.arrange()
}

// fixDetailLeast is how many rows the details keep, of a page of twice that.
const fixDetailLeast = 8

// inView is how many fixes the page has room for. It does not depend on which
// one is selected, so that nothing jumps.
func (p *Page) inView() int {
	rows := p.Height - 1
	return max(1, min(len(p.tried()), rows-min(fixDetailLeast, rows/2)))
}

// arrange keeps the selected fix in view.
func (p *Page) arrange() {
	rows, all := p.inView(), len(p.tried())
	p.chosen = max(0, min(p.chosen, all-1))
	p.top = max(0, min(p.top, all-rows))
	p.top = min(max(p.top, p.chosen-rows+1), p.chosen)
}

// Act does what a key asks for.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	half := max(1, p.inView()/2)
	if n, ok := keymap.Steps(do, half, 2*half, len(p.tried())); ok {
		p.move(n)
		return nil
	}
	if do != keymap.Open {
		return p.Host.ActOn(do, page.SelectPod(p.Pod))
	}
	if f, ok := p.fix(); ok && planned(f) {
		return p.Host.Plan(toPlan(f, p.Pod))
	}
	return nil
}

// First selects the first fix: one that works, if any does.
func First(p *Page) tea.Cmd {
	p.chosen = 0
	p.arrange()
	return p.ask()
}

func (p *Page) move(n int) {
	p.chosen += n
	p.arrange()
}

// onMouse selects what is clicked.
func (p *Page) onMouse(msg tea.MouseMsg) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		p.move(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		if at := msg.Y - 1; at >= 0 && at < p.inView() && p.top+at < len(p.tried()) {
			p.chosen = p.top + at
		}
	}
}
