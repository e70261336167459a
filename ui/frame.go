package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// layout draws the rows around the page, and the page in them.
type layout struct{ app *App }

// The frame: header, answer, message and footer around the body.
const (
	frameRows = 4
	minWidth  = 60
	minHeight = 15
)

// small reports whether the terminal is too small for any page.
func (a *App) small() bool { return a.width < minWidth || a.height < minHeight }

// View draws the frame and the page in it. It only reads, and keeps the frame for
// messages that change nothing.
func (a *App) View() tea.View {
	if !a.unchanged || a.frame.Content == "" {
		a.frame = a.layout.draw()
	}
	return a.frame
}

func (d *layout) draw() tea.View {
	rows := d.rows()
	if d.app.ASCII {
		for i := range rows {
			rows[i] = cells.ASCII(rows[i])
		}
	}
	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "fathom " + model.Clean(d.app.head.short)
	return v
}

// rows are the screen: exactly as many as the terminal has, none wider.
func (d *layout) rows() []string {
	if d.app.small() {
		rows := make([]string, max(d.app.height, 1))
		rows[0] = cells.Cut(fmt.Sprintf("Needs %d×%d, has %d×%d. ctrl-c quits.", minWidth, minHeight, d.app.width, d.app.height), d.app.width)
		return rows
	}
	s := d.app.styles()
	rows := make([]string, 0, d.app.height)
	rows = append(rows, d.app.head.draw(), s.Strong.Render(cells.Cut(" "+d.answerOf(d.app.history.top(), d.app.width-1), d.app.width)))
	rows = append(rows, d.app.lesson.Beside(d.bodyRows(d.bodyHeight()), s, d.app.width, d.app.height-frameRows)...)
	rows = append(rows, d.message(), d.footerRow())
	switch {
	case d.app.dialog != nil:
		rows = d.app.boxes.lay(rows, d.app.dialog.Draw(d.app.width, d.app.height))
	case d.app.box != nil:
		rows = d.app.boxes.underBox(rows)
	}
	for i, row := range rows {
		rows[i] = cells.CutRow(row, d.app.width)
	}
	return rows
}

// bodyHeight is how many rows the page has.
func (d *layout) bodyHeight() int {
	body := d.app.height - frameRows
	return max(body-d.app.lesson.Below(d.app.width, body), 1)
}

// showLesson resizes the panel of the lesson for its text, and the page beside it.
func (d *layout) showLesson() {
	if d.app.lesson.Taken != nil {
		d.app.lesson.Show(d.app.width, d.app.height-frameRows)
		d.app.history.fit()
	}
}

// bodyRows are the view's lines and blank ones, the last ones covered by a prompt.
func (d *layout) bodyRows(height int) []string {
	rows := make([]string, height)
	copy(rows, d.pageRows())
	if d.app.prompt == nil {
		return rows
	}
	over := d.app.prompt.Above(d.app.width)
	if len(over) == 0 {
		return rows
	}
	over = over[max(0, len(over)-height):]
	d.shade(rows)
	copy(rows[height-len(over):], over)
	return rows
}

// shade draws the rows under a box or a prompt; large and plain leaves them out.
func (d *layout) shade(rows []string) {
	for i, row := range rows {
		if rows[i] = ""; !d.app.Large {
			rows[i] = d.app.styles().Shade.Render(ansi.Strip(row))
		}
	}
}

// message is row n−1: an input, a message, a lost connection, or the view's note.
func (d *layout) message() string {
	s := d.app.styles()
	switch {
	case d.app.prompt != nil:
		return d.app.prompt.Line(d.app.width)
	case d.app.said.text != "" && d.app.said.bad:
		return s.Bad.Render(cells.Cut(" "+model.Clean(d.app.said.text), d.app.width))
	case d.app.said.text != "":
		return s.Text.Render(cells.Cut(" "+model.Clean(d.app.said.text), d.app.width))
	case d.app.acts.actingWords() != "":
		return s.Text.Render(cells.Cut(" "+d.app.observed.Brief(d.app.acts.actingWords()), d.app.width))
	case d.app.steps.steppingWords() != "":
		return s.Text.Render(cells.Cut(" "+d.app.steps.steppingWords(), d.app.width))
	case d.app.observed.Lost():
		return s.Bad.Render(cells.Cut(" "+d.app.observed.LostWords(), d.app.width))
	}
	if note := d.app.history.top().Note(); note != "" && !d.app.hides(d.app.history.top()) {
		return s.Text.Render(cells.Cut(" "+note, d.app.width))
	}
	return ""
}

// tighter is a view whose keys need the place of the help in the footer.
type tighter interface{ Tight() bool }

// footerRow is row n: the keys that matter now, as many as fit.
func (d *layout) footerRow() string {
	v, s := d.app.history.top(), d.app.styles()
	key := d.app.Keys.Of(keymap.Help, keymap.Everywhere).First()
	help, helps := key+" help", s.Key.Render(key)+" "+s.Dim.Render("help")
	if t, ok := v.(tighter); ok && t.Tight() {
		help, helps = "", ""
	}
	row, room := " ", d.app.width-1-cells.Width(help)
	if help == "" {
		room += 2 // no gap behind the last key
	}
	footer := d.app.steps.withSteps(d.footer(v))
	fold, folded := d.folded(footer, v.Places())
	if slices.ContainsFunc(footer, func(k page.Key) bool { return k.Do == keymap.More }) {
		plain, _ := d.footKey(page.Key{Do: keymap.More}, v)
		room -= cells.Width(plain) + 2 // it is always shown
	}
	for i, k := range footer {
		drawn, styled := d.footKey(k, v)
		switch {
		case k.Do == keymap.More:
			row += styled + "  "
			continue
		case folded == "" || !slices.Contains(change.Actions, k.Do):
		case i != fold:
			continue
		default:
			drawn, styled = folded, s.KeyOff.Render(folded)
		}
		if room -= cells.Width(drawn) + 2; room >= 0 {
			row += styled + "  "
		}
	}
	return strings.TrimRight(row, " ") + strings.Repeat("  ", min(len(help), 1)) + helps
}

// footKey is one key of the footer, plain for measuring and styled.
func (d *layout) footKey(k page.Key, v page.View) (plain, styled string) {
	s, b := d.app.styles(), d.app.Keys.Of(k.Do, d.app.keyboard.placesOf(v))
	label, word := cmp.Or(k.Label, b.Label), cmp.Or(k.Word, b.Foot)
	plain = label + " " + word
	if d.app.keyboard.off(k.Do, v) != "" {
		plain = "(" + plain + ")"
		return plain, s.KeyOff.Render(plain)
	}
	return plain, s.Key.Render(label) + " " + s.Dim.Render(word)
}

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
