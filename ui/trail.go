package ui

import tea "charm.land/bubbletea/v2"

// longest is how many views history keeps.
const longest = 50

// top is the view that is shown.
func (a *App) top() view { return a.trail[a.here] }

// pages are the pages that are there once and keep their filter and selection.
type pages struct {
	pending *pending
	pods    *pods
	nodes   *nodes
}

// leaver is a view that ends what it has asked for when nobody looks any more.
type leaver interface{ leave() }

// leave tells the view on top that another one takes its place.
func (a *App) leave() {
	if v, ok := a.top().(leaver); ok {
		v.leave()
	}
}

// open shows v; what was forward in history is forgotten.
func (a *App) open(v view) tea.Cmd {
	if v == a.top() {
		return nil
	}
	a.leave()
	a.trail = append(a.trail[:a.here+1:a.here+1], v)
	if len(a.trail) > longest {
		a.trail = a.trail[1:]
	}
	a.last, a.here = len(a.trail)-2, len(a.trail)-1
	return a.show()
}

// goTo shows the view at a place in history.
func (a *App) goTo(i int) tea.Cmd {
	if i < 0 || i >= len(a.trail) || i == a.here {
		return nil
	}
	a.leave()
	a.last, a.here = a.here, i
	return a.show()
}

// show brings the view on top up to date.
func (a *App) show() tea.Cmd {
	a.fit()
	if v, ok := a.top().(changing); ok {
		v.forgetCells()
	}
	return a.top().update(snapshotMsg{a.opened, a.snapshot, true})
}

// fit gives the view on top its room.
func (a *App) fit() { a.top().resize(a.width-a.lessonRight(), a.pageHeight()) }

// back goes where one came from.
func (a *App) back() tea.Cmd {
	if a.here == 0 {
		return a.say("This is where it began: 1 2 3 are the views, ctrl-c quits.")
	}
	return a.goTo(a.here - 1)
}
