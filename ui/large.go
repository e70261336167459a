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
func (d *layout) isAiry() bool {
	_, can := d.app.history.top().(airier)
	return d.app.Large && can && d.bodyHeight() >= airyFrom
}

// pageHeight is how many rows the page on top is told to have.
func (d *layout) pageHeight() int {
	if d.isAiry() {
		return (d.bodyHeight() + 1) / 2
	}
	return d.bodyHeight()
}

// pageRow is the row of the page that is drawn on a row of the body.
func (d *layout) pageRow(y int) int {
	if d.isAiry() {
		return y / 2
	}
	return y
}

// pageRows are the rows of the page on top as they are drawn.
func (d *layout) pageRows() []string {
	if d.app.hides(d.app.history.top()) {
		return d.hiddenLines()
	}
	rows := d.app.history.top().body()
	if !d.isAiry() {
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
func (d *layout) footer(v view) []footKey {
	switch {
	case d.app.lesson.entered:
		return d.app.lesson.footer()
	case d.app.hides(v):
		return hiddenKeys()
	}
	all := v.footer()
	if !d.app.Large {
		return all
	}
	all = slices.DeleteFunc(all, func(k footKey) bool { return k.do == keymap.More || d.app.keyboard.off(k.do, v) != "" })
	all = all[:min(len(all), largeKeys)]
	if d.app.lesson.taken != nil {
		all = append(all, footKey{do: keymap.Lesson})
	}
	if d.app.training.trainer() != nil {
		all = append(all, footKey{do: keymap.Fault})
	}
	return all
}

// enlarge draws large and plain, or as before.
func (t *training) enlarge() tea.Cmd {
	t.app.Large = !t.app.Large
	t.app.lesson.large = t.app.Large
	t.app.dress()
	t.app.layout.showLesson()
	return t.app.history.show()
}
