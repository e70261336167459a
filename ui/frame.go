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
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// The frame: header, answer, message and footer around the body.
const (
	frameRows = 4
	minWidth  = 60
	minHeight = 15
)

// small reports whether the terminal is too small for any page.
func (a *App) small() bool { return a.width < minWidth || a.height < minHeight }

// View draws the frame and the page in it. It only reads, and remembers the frame
// for messages that change nothing.
func (a *App) View() tea.View {
	if !a.unchanged || a.frame.Content == "" {
		a.frame = a.draw()
	}
	return a.frame
}

func (a *App) draw() tea.View {
	rows := a.rows()
	if a.ASCII {
		for i := range rows {
			rows[i] = cells.ASCII(rows[i])
		}
	}
	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "fathom " + model.Clean(a.short)
	return v
}

// rows are the screen: exactly as many as the terminal has, none wider.
func (a *App) rows() []string {
	if a.small() {
		rows := make([]string, max(a.height, 1))
		rows[0] = cells.Cut(fmt.Sprintf("Needs %d×%d, has %d×%d. ctrl-c quits.", minWidth, minHeight, a.width, a.height), a.width)
		return rows
	}
	s := a.styles()
	rows := make([]string, 0, a.height)
	rows = append(rows, a.header(), s.Strong.Render(cells.Cut(" "+a.answerOf(a.top(), a.width-1), a.width)))
	rows = append(rows, a.withLesson(a.bodyRows(a.bodyHeight()), a.bodyHeight())...)
	rows = append(rows, a.message(), a.footerRow())
	switch {
	case a.dialog != nil:
		rows = a.lay(rows, a.dialog.draw(a.width, a.height))
	case a.box != nil:
		rows = a.underBox(rows)
	}
	for i, row := range rows {
		rows[i] = cells.CutRow(row, a.width)
	}
	return rows
}

// bodyHeight is how many rows the page has.
func (a *App) bodyHeight() int { return max(a.height-frameRows-a.lessonBelow(), 1) }

// bodyRows are the view's lines and blank ones, with what a prompt lays over the last.
func (a *App) bodyRows(height int) []string {
	rows := make([]string, height)
	copy(rows, a.pageRows())
	if a.prompt == nil {
		return rows
	}
	over := a.prompt.above(a.width)
	if len(over) == 0 {
		return rows
	}
	over = over[max(0, len(over)-height):]
	a.shade(rows)
	copy(rows[height-len(over):], over)
	return rows
}

// shade draws what lies under a box or a prompt; large and plain leaves it out.
func (a *App) shade(rows []string) {
	for i, row := range rows {
		if rows[i] = ""; !a.Large {
			rows[i] = a.styles().Shade.Render(ansi.Strip(row))
		}
	}
}

// message is row n−1: an input, what was said, a lost connection, the view's note.
func (a *App) message() string {
	s := a.styles()
	switch {
	case a.prompt != nil:
		return a.prompt.line(a.width)
	case a.said.text != "" && a.said.bad:
		return s.Bad.Render(cells.Cut(" "+model.Clean(a.said.text), a.width))
	case a.said.text != "":
		return s.Text.Render(cells.Cut(" "+model.Clean(a.said.text), a.width))
	case a.actingWords() != "":
		return s.Text.Render(cells.Cut(" "+a.brief(a.actingWords()), a.width))
	case a.steppingWords() != "":
		return s.Text.Render(cells.Cut(" "+a.steppingWords(), a.width))
	case a.lost():
		return s.Bad.Render(cells.Cut(" "+a.lostWords(), a.width))
	}
	if note := a.top().note(); note != "" && !a.hides(a.top()) {
		return s.Text.Render(cells.Cut(" "+note, a.width))
	}
	return ""
}

// tighter is a view whose keys need the room of the help in the footer.
type tighter interface{ tight() bool }

// footerRow is row n: the keys that matter now, as many as there is room for.
func (a *App) footerRow() string {
	v, s := a.top(), a.styles()
	help, helps := "? help", s.Key.Render("?")+" "+s.Dim.Render("help")
	if t, ok := v.(tighter); ok && t.tight() {
		help, helps = "", ""
	}
	row, room := " ", a.width-1-len(help)
	if help == "" {
		room += 2 // no gap behind the last key
	}
	footer := a.withSteps(a.footer(v))
	fold, folded := a.folded(footer, v.places())
	if slices.ContainsFunc(footer, func(k footKey) bool { return k.do == keymap.More }) {
		plain, _ := a.footKey(footKey{do: keymap.More}, v)
		room -= cells.Width(plain) + 2 // it has its place whatever else has none
	}
	for i, k := range footer {
		drawn, styled := a.footKey(k, v)
		switch {
		case k.do == keymap.More:
			row += styled + "  "
			continue
		case folded == "" || !slices.Contains(changers, k.do):
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
func (a *App) footKey(k footKey, v view) (plain, styled string) {
	s, b := a.styles(), keymap.Of(k.do, a.placesOf(v))
	label, word := cmp.Or(k.label, b.Label), cmp.Or(k.word, b.Foot)
	plain = label + " " + word
	if a.off(k.do, v) != "" {
		plain = "(" + plain + ")"
		return plain, s.KeyOff.Render(plain)
	}
	return plain, s.Key.Render(label) + " " + s.Dim.Render(word)
}
