package ui

import (
	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// fixes is the page of the fixes that were tried for a pod.
type fixes struct {
	page
	tries  fixing
	pod    *model.Pod // as it was last seen
	gone   bool       // the pod is no more
	chosen int        // the selected fix
	top    int        // the first one in view
}

// newFixes opens the page about one pod. What Why knows already is shown at once.
func newFixes(a *App, pod *model.Pod, known fixing, chosen int) *fixes {
	p := &fixes{page: page{app: a}, pod: pod, chosen: chosen}
	p.tries.fixes, p.tries.revision = known.fixes, known.revision
	return p
}

func (p *fixes) uid() types.UID { return p.pod.Object.UID }

// update takes snapshots, answers and the mouse.
func (p *fixes) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		return p.onSnapshot(msg.snapshot)
	case fixedMsg:
		return p.onFixed(msg)
	case fixSlowMsg:
		p.tries.slows(msg)
	case fixAgainMsg:
		if p.tries.rested(msg) && !p.gone {
			return p.tries.ask(p.app, p, p.uid())
		}
	case tea.MouseMsg:
		p.onMouse(msg)
	}
	return nil
}

// onSnapshot finds the pod in it and asks again where the answer may be another.
func (p *fixes) onSnapshot(s *model.Snapshot) tea.Cmd {
	if p.pod, p.gone = podIn(s, p.pod); p.gone {
		p.leave()
		return nil
	}
	return p.tries.ask(p.app, p, p.uid())
}

// onFixed shows an answer. The fix that was selected stays so, by its title.
func (p *fixes) onFixed(msg fixedMsg) tea.Cmd {
	title := ""
	if f, ok := p.fix(); ok {
		title = f.Title
	}
	rest, fresh := p.tries.take(p.app, p, msg)
	if fresh {
		p.chosen = p.tries.indexOf(title, p.chosen)
		p.arrange()
	}
	return rest
}

// leave cancels what nobody will look at.
func (p *fixes) leave() { p.tries.leave() }

// fix is the selected one.
func (p *fixes) fix() (*report.Fix, bool) {
	tried := p.tries.tried()
	if p.chosen >= len(tried) {
		return nil, false
	}
	return &tried[p.chosen], true
}

func (p *fixes) resize(width, height int) {
	p.page.resize(width, height)
	p.arrange()
}

// fixDetailLeast is how many rows the details keep, of a page of twice that.
const fixDetailLeast = 8

// inView is how many fixes the page has room for. It does not depend on which
// one is selected, so that nothing jumps.
func (p *fixes) inView() int {
	rows := p.height - 1
	return max(1, min(len(p.tries.tried()), rows-min(fixDetailLeast, rows/2)))
}

// arrange keeps the selected fix in view.
func (p *fixes) arrange() {
	rows, all := p.inView(), len(p.tries.tried())
	p.chosen = max(0, min(p.chosen, all-1))
	p.top = max(0, min(p.top, all-rows))
	p.top = min(max(p.top, p.chosen-rows+1), p.chosen)
}

// act does what a key asks for.
func (p *fixes) act(do keymap.Action) tea.Cmd {
	half := max(1, p.inView()/2)
	switch do {
	case keymap.Up:
		p.move(-1)
	case keymap.Down:
		p.move(1)
	case keymap.HalfUp:
		p.move(-half)
	case keymap.HalfDown:
		p.move(half)
	case keymap.PageUp:
		p.move(-2 * half)
	case keymap.PageDown:
		p.move(2 * half)
	case keymap.Top:
		p.move(-len(p.tries.tried()))
	case keymap.Bottom:
		p.move(len(p.tries.tried()))
	case keymap.Open:
		if f, ok := p.fix(); ok && planned(f) {
			return p.app.acts.plan(wishOf(f.Actions[0]))
		}
	default:
		return p.app.opener.actOn(do, podSelection(p.pod))
	}
	return nil
}

func (p *fixes) move(n int) {
	p.chosen += n
	p.arrange()
}

// onMouse selects what is clicked.
func (p *fixes) onMouse(msg tea.MouseMsg) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		p.move(keymap.Wheel(msg) / keymap.WheelRows)
	case tea.MouseClickMsg:
		if at := msg.Y - 1; at >= 0 && at < p.inView() && p.top+at < len(p.tries.tried()) {
			p.chosen = p.top + at
		}
	}
}
