package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/budgets"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pools"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/priorities"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/quotas"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/taints"
)

// history is the pages that were shown so far.
type history struct {
	app        *App
	trail      []page.View
	here, last int // in trail: what is shown, and what was before
}

// longest is how many views history keeps.
const longest = 50

// top is the view that is shown.
func (h *history) top() page.View { return h.trail[h.here] }

// pages are the views, which keep their filter and selection.
type pages struct {
	pending    *pending.Page
	pods       *pods.Page
	nodes      *nodes.Page
	pools      *pools.Page
	taints     *taints.Page
	priorities *priorities.Page
	quotas     *quotas.Page
	budgets    *budgets.Page
}

// leaver is a view that cancels what it asked for when it is no longer shown.
type leaver interface{ Leave() }

// leave tells the view on top that another one takes its place.
func (h *history) leave() {
	if v, ok := h.top().(leaver); ok {
		v.Leave()
	}
}

// open shows v; what was forward in history is forgotten.
func (h *history) open(v page.View) tea.Cmd {
	if v == h.top() {
		return nil
	}
	h.leave()
	h.trail = append(h.trail[:h.here+1:h.here+1], v)
	if len(h.trail) > longest {
		h.trail = h.trail[1:]
	}
	h.last, h.here = len(h.trail)-2, len(h.trail)-1
	return h.show()
}

// goTo shows the view at a place in history.
func (h *history) goTo(i int) tea.Cmd {
	if i < 0 || i >= len(h.trail) || i == h.here {
		return nil
	}
	h.leave()
	h.last, h.here = h.here, i
	return h.show()
}

// show brings the view on top up to date.
func (h *history) show() tea.Cmd {
	h.fit()
	if v, ok := h.top().(changing); ok {
		v.Highlights().Forget()
	}
	return h.top().Update(page.SnapshotMsg{Snapshot: h.app.observed.Snapshot, Shown: true})
}

// fit gives the view on top its size.
func (h *history) fit() {
	h.top().Resize(h.app.width-h.app.lesson.Right(h.app.width), h.app.layout.pageHeight())
}

// back goes to the page before.
func (h *history) back() tea.Cmd {
	if h.here == 0 {
		return h.app.said.say("This is the first page. 1 2 3 open the views, ctrl-c quits.")
	}
	return h.goTo(h.here - 1)
}
