package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// What is drawn large and plain has more room around it: fewer columns and keys, a
// blank line between the rows of lists, and a box stands alone.
const (
	airyFrom  = 14 // rows of a page's body from which its lists have blank lines
	largeKeys = 3  // of the page in the footer, beside the trainer's
)

// airier is a page that can have a blank line between its rows.
type airier interface{ airy() }

func (l *list[F, R]) airy() {}

// isAiry says whether the page on top has a blank line between its rows.
func (a *App) isAiry() bool {
	_, can := a.top().(airier)
	return a.Large && can && a.bodyHeight() >= airyFrom
}

// pageHeight is how many rows the page on top is told to have.
func (a *App) pageHeight() int {
	if a.isAiry() {
		return (a.bodyHeight() + 1) / 2
	}
	return a.bodyHeight()
}

// pageRow is the row of the page that is drawn on a row of the body.
func (a *App) pageRow(y int) int {
	if a.isAiry() {
		return y / 2
	}
	return y
}

// pageRows are the rows of the page on top as they are drawn.
func (a *App) pageRows() []string {
	if a.hides(a.top()) {
		return a.hiddenLines()
	}
	rows := a.top().body()
	if !a.isAiry() {
		return rows
	}
	airy := make([]string, 0, 2*len(rows))
	for _, row := range rows {
		airy = append(airy, row, "")
	}
	return airy
}

// footer lists the keys that matter now; of a page that is drawn large the first
// ones that can act.
func (a *App) footer(v view) []footKey {
	switch {
	case a.lesson.entered:
		return a.lesson.footer()
	case a.hides(v):
		return hiddenKeys()
	}
	all := v.footer()
	if !a.Large {
		return all
	}
	all = slices.DeleteFunc(all, func(k footKey) bool { return k.do == keymap.More || a.off(k.do, v) != "" })
	all = all[:min(len(all), largeKeys)]
	if a.lesson.taken != nil {
		all = append(all, footKey{do: keymap.Lesson})
	}
	if a.trainer() != nil {
		all = append(all, footKey{do: keymap.Fault})
	}
	return all
}

// enlarge draws large and plain, or as before.
func (a *App) enlarge() tea.Cmd {
	a.Large = !a.Large
	a.lesson.large = a.Large
	a.dress()
	a.showLesson()
	return a.show()
}
