package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Large and plain has more space: fewer columns and keys, a blank line between the
// rows of lists, and nothing beside a box.
const (
	airyFrom  = 14 // rows of a page's body from which its lists have blank lines
	largeKeys = 3  // of the page in the footer, beside the trainer's
)

// airier is a page that can have a blank line between its rows.
type airier interface{ Airy() }

// isAiry reports whether the page on top has a blank line between its rows.
func (d *layout) isAiry() bool {
	_, can := d.app.history.top().(airier)
	return d.app.Large && can && d.bodyHeight() >= airyFrom
}

// pageHeight is the height that the page on top gets.
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
	rows := d.app.history.top().Body()
	if !d.isAiry() {
		return rows
	}
	airy := make([]string, 0, 2*len(rows))
	for _, row := range rows {
		airy = append(airy, row, "")
	}
	return airy
}

// footer lists the keys that matter now; on a page that is drawn large only the first
// available ones.
func (d *layout) footer(v page.View) []page.Key {
	switch {
	case d.app.lesson.Entered:
		return d.app.lesson.Footer()
	case d.app.hides(v):
		return hiddenKeys()
	}
	all := v.Footer()
	if !d.app.Large {
		return all
	}
	all = slices.DeleteFunc(all, func(k page.Key) bool { return k.Do == keymap.More || d.app.keyboard.off(k.Do, v) != "" })
	all = all[:min(len(all), largeKeys)]
	if d.app.lesson.Taken != nil {
		all = append(all, page.Key{Do: keymap.Lesson})
	}
	if d.app.training.trainer() != nil {
		all = append(all, page.Key{Do: keymap.Fault})
	}
	return all
}

// enlarge draws large and plain, or as before.
func (t *training) enlarge() tea.Cmd {
	t.app.Large = !t.app.Large
	t.app.lesson.Large = t.app.Large
	t.app.dress()
	t.app.layout.showLesson()
	return t.app.history.show()
}
