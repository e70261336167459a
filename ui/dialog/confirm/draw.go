package confirm

import (
	"fmt"
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
)

// tailRows is how many rows at the end of the box do not scroll, at most.
const tailRows = 3

// boxLine is one line of the box, plain.
type boxLine struct {
	text  string
	style lipgloss.Style
	agree int // the consent that it is about, from 1; 0 is none
}

// Draw lays the box out: the part that scrolls, then the part below it.
func (c *Box) Draw(width, height int) dialog.Drawn {
	room := dialog.Room(width)
	body, tail := c.body(room), c.tail(room)
	b := dialog.Drawn{Title: c.host.Brief(c.Plan.Title), Corner: c.host.Corner(), Inner: innerOf(append(c.body(unbroken), c.tail(unbroken)...), room)}
	asks := c.asks(b.Inner, c.top < c.lastTop())
	for _, line := range window(body, max(dialog.Rows(height)-len(tail)-len(asks), 1), c.top, c.host.Styles().Dim) {
		b.Rows = append(b.Rows, c.row(line, b.Inner))
	}
	for _, line := range tail {
		b.Rows = append(b.Rows, c.row(line, b.Inner))
	}
	b.Rows = append(b.Rows, asks...)
	b.Rows = b.Rows[max(len(b.Rows)-dialog.Rows(height), 0):]
	return b
}

// unbroken is a width in which no line is broken.
const unbroken = 1 << 20

// innerOf is how wide the box is: as its longest paragraph, where there is room.
func innerOf(lines []boxLine, room int) int {
	inner := dialog.Least
	for _, line := range lines {
		inner = max(inner, cells.Width(line.text))
	}
	return min(inner, room)
}

func (c *Box) row(line boxLine, width int) dialog.Row {
	chosen := line.agree == c.Chosen+1 && c.open() && strings.HasPrefix(line.text, "[")
	return dialog.Row{Text: line.style.Render(cells.Cut(line.text, width)), Cursor: chosen}
}

// window is the part of the body that is in view; an arrow counts the rows that are not.
func window(body []boxLine, rows, top int, dim lipgloss.Style) []boxLine {
	if len(body) <= rows {
		return body
	}
	top = min(top, len(body)-rows)
	shown := append([]boxLine(nil), body[top:top+rows]...)
	if below := len(body) - top - rows; below > 0 {
		shown[rows-1] = boxLine{text: fmt.Sprintf("  %d more ↓", below+1), style: dim}
	}
	if top > 0 && rows > 1 {
		shown[0] = boxLine{text: fmt.Sprintf("  %d more ↑", top+1), style: dim}
	}
	return shown
}

// lastTop is how far the box scrolls on the terminal as it is.
func (c *Box) lastTop() int {
	width, height := c.host.Size()
	room := dialog.Room(width)
	below := len(c.tail(room)) + len(c.asks(room, false))
	return max(len(c.body(room))-max(dialog.Rows(height)-below, 1), 0)
}

// body is the part that scrolls: effects, warnings, pods, changes, and consents.
func (c *Box) body(width int) []boxLine {
	s := c.host.Styles()
	lines := c.sentences(nil, s.Warn, width, c.first...)
	text := s.Text
	if c.refused() {
		lines = c.sentences(lines, s.Bad, width, c.refusal())
		nothing := "Nothing was changed, and nothing will be."
		if strings.Join(c.first, "") != "" { // of what it says first some may have been done
			nothing = "Nothing more will be changed."
		}
		lines = c.sentences(lines, s.Text, width, nothing+" The plan was:")
		text = s.Dim
	}
	lines = c.sentences(lines, text, width, c.Plan.StopWords(c.host.Jobs())...)
	lines = c.sentences(lines, text, width, c.Plan.Effects...)
	for _, warning := range c.Plan.Warnings {
		for i, line := range cells.Wrap(c.host.Brief(warning), width-2) {
			lead := "! "
			if i > 0 {
				lead = "  "
			}
			lines = append(lines, boxLine{text: lead + line, style: s.Warn})
		}
	}
	lines = append(lines, c.ends(width)...)
	for _, line := range plan.EditWords(c.Plan, func(target model.Ref) string { return c.host.NodeName(target.Words()) + " " }) {
		for i, row := range cells.Wrap(model.Clean(line), width-2) {
			lines = append(lines, boxLine{text: cells.Blank(2+2*min(i, 1)) + row, style: s.Text})
		}
	}
	return append(lines, c.consents(width)...)
}

// nbsp is a blank at which no line is broken.
const nbsp = "\u00a0"

// figureBlank is the blank after a figure.
var figureBlank = regexp.MustCompile(`(\b\d+) `)

// withFigures keeps each figure on the line of the word that it counts.
func withFigures(text string) string { return figureBlank.ReplaceAllString(text, "${1}"+nbsp) }

// sentences appends texts of ours, a paragraph each.
func (c *Box) sentences(lines []boxLine, style lipgloss.Style, width int, texts ...string) []boxLine {
	for _, text := range texts {
		for _, line := range cells.Wrap(withFigures(c.host.Brief(text)), width) {
			lines = append(lines, boxLine{text: strings.ReplaceAll(line, nbsp, " "), style: style})
		}
	}
	return lines
}

// tail is the part below that does not scroll: order, the dry run's verdict, undo.
func (c *Box) tail(width int) []boxLine {
	s := c.host.Styles()
	if c.refused() {
		return nil
	}
	return c.sentences(nil, s.Text, width, c.Plan.Order, c.Plan.Closing())
}

// asks are the last rows: the key to press or the text to type. They are dim until
// the box takes answers. The typed text has a row of its own below a long question. below
// says that the consents may be out of view.
func (c *Box) asks(width int, below bool) []dialog.Row {
	s := c.host.Styles()
	style := s.Dim
	if c.guard.Ready(c.host.At()) {
		style = s.Strong
	}
	leave := s.Dim.Render("esc cancel")
	switch {
	case c.refused():
		return []dialog.Row{{Text: style.Render("esc close")}}
	case c.open():
		words := "Check each [ ] with space, then answer."
		if below {
			words = "Check each [ ] with space: ↓ scrolls to them."
		}
		return []dialog.Row{{Text: cells.Spread(style.Render(words), leave, width)}}
	case c.Question.Answer == "y":
		return []dialog.Row{{Text: style.Render(cells.Cut(c.Question.Words+"   esc cancel", width))}}
	case c.wrong != "":
		leave = s.Warn.Render("no match") + s.Dim.Render("   esc cancel")
	}
	words, typed := model.Clean(c.Question.Words), c.field.Drawn()
	if cells.Width(words)+cells.Width(typed)+cells.Width(c.Question.Answer)+cells.Width(leave)+2 <= width {
		return []dialog.Row{{Text: cells.Spread(style.Render(words+" "+typed), leave, width)}}
	}
	var rows []dialog.Row
	for _, line := range cells.Wrap(words, width) {
		rows = append(rows, dialog.Row{Text: style.Render(line)})
	}
	return append(rows, dialog.Row{Text: cells.Spread(style.Render(typed), leave, width)})
}
