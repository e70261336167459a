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
	chosen int    // the selected fix
	title  string // of the fix that the user selected; "" before the cursor was moved
	top    int    // the first one in view
}

// New makes the page about one pod.
func New(h page.Host, pod *model.Pod) *Page {
	p := &Page{}
	p.Host, p.Pod = h, pod
	return p
}

// NewOf is New with the answer that another page has, and the fix that is selected there;
// nil is none.
func NewOf(h page.Host, pod *model.Pod, known *Poll, selected *report.Fix) *Page {
	p := New(h, pod)
	if selected != nil {
		p.title = selected.Title
		p.chosen = IndexOf(known.Value, p.title, 0)
	}
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
	title := followed(p)
	return p.Follow(p, msg, func() tea.Cmd {
		p.chosen = IndexOf(p.Poll.Value, title, p.chosen)
		p.arrange()
		if p.title != "" && whole(p) {
			noteSelected(p)
		}
		return nil
	}, p.ask)
}

// followed is the title of the fix that stays selected: the user's, or the first of a whole
// answer. While the first results come in, the first row stays selected, whichever fix it has.
func followed(p *Page) string {
	if f, ok := p.fix(); ok && p.title == "" && whole(p) {
		return f.Title
	}
	return p.title
}

// whole reports whether all fixes were simulated.
func whole(p *Page) bool { return p.Poll.Value != nil && p.Poll.Value.Left == 0 }

// noteSelected notes which fix the user selected.
func noteSelected(p *Page) {
	if f, ok := p.fix(); ok {
		p.title = f.Title
	}
}

// ask asks which fixes work, unless that is known, asked for, or nobody looks.
func (p *Page) ask() tea.Cmd {
	if p.Gone || isSettled(p) {
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

// tried are the fixes of the newest answer; none where the pod has a node by now, or is gone.
func (p *Page) tried() []report.Fix {
	if p.Gone || isSettled(p) {
		return nil
	}
	return tried(p.Poll.Value)
}

// nodeOf is the node that the pod has by now; "" is none.
func nodeOf(p *Page) string { return p.Pod.Object.Spec.NodeName }

// isSettled reports whether there is nothing to fix any more: the pod has a node, and no resize in
// place that its kubelet has not granted.
func isSettled(p *Page) bool { return nodeOf(p) != "" && !model.ResizeOf(p.Pod.Object).IsWaiting() }

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
		return p.Host.Plan(toPlan(f, p.Pod, p.Host.Observed()))
	}
	return nil
}

// First selects the first fix: one that works, if any does.
func First(p *Page) tea.Cmd {
	p.chosen, p.title = 0, ""
	p.arrange()
	return p.ask()
}

func (p *Page) move(n int) {
	p.chosen += n
	p.arrange()
	noteSelected(p)
}

// onMouse selects what is clicked.
func (p *Page) onMouse(msg tea.MouseMsg) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		p.move(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		if at := msg.Y - 1; at >= 0 && at < p.inView() && p.top+at < len(p.tried()) {
			p.chosen = p.top + at
			noteSelected(p)
		}
	}
}
