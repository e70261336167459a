package ui

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

const (
	// confirmTail is how many rows at the end of the box do not scroll, at most.
	confirmTail = 3
	// confirmLeast is the narrowest that the box is inside, where there is room.
	confirmLeast = 65
)

// boxLine is one line of the box, plain.
type boxLine struct {
	text  string
	style lipgloss.Style
	agree int // the consent that it is about, from 1; 0 is none
}

// draw lays the box out: the part that scrolls, then the part below it.
func (c *confirm) draw(width, height int) dialog.Drawn {
	room := dialog.Room(width)
	body, tail := c.body(room), c.tail(room)
	b := dialog.Drawn{Title: c.app.observed.Brief(c.plan.Title), Corner: c.app.boxes.placeBadge(), Inner: c.inner(room)}
	asks := c.asks(b.Inner)
	for _, line := range c.window(body, max(dialog.Rows(height)-len(tail)-len(asks), 1)) {
		b.Rows = append(b.Rows, c.row(line, b.Inner))
	}
	for _, line := range tail {
		b.Rows = append(b.Rows, c.row(line, b.Inner))
	}
	b.Rows = append(b.Rows, asks...)
	b.Rows = b.Rows[max(len(b.Rows)-dialog.Rows(height), 0):]
	return b
}

// inner is how wide the box is: as its longest paragraph, where there is room.
func (c *confirm) inner(room int) int {
	const unbroken = 1 << 20
	inner := confirmLeast
	for _, line := range append(c.body(unbroken), c.tail(unbroken)...) {
		inner = max(inner, cells.Width(line.text))
	}
	return min(inner, room)
}

func (c *confirm) row(line boxLine, width int) dialog.Row {
	chosen := line.agree == c.chosen+1 && c.open() && strings.HasPrefix(line.text, "[")
	return dialog.Row{Text: line.style.Render(cells.Cut(line.text, width)), Cursor: chosen}
}

// window is the part of the body that is in view; ⋮ counts the rows that are not.
func (c *confirm) window(body []boxLine, rows int) []boxLine {
	if len(body) <= rows {
		return body
	}
	dim := c.app.styles().Dim
	top := min(c.top, len(body)-rows)
	shown := append([]boxLine(nil), body[top:top+rows]...)
	if below := len(body) - top - rows; below > 0 {
		shown[rows-1] = boxLine{text: fmt.Sprintf("  ⋮ %d", below+1), style: dim}
	}
	if top > 0 && rows > 1 {
		shown[0] = boxLine{text: fmt.Sprintf("  ⋮ %d", top+1), style: dim}
	}
	return shown
}

// lastTop is how far the box scrolls on the terminal as it is.
func (c *confirm) lastTop() int {
	room := dialog.Room(c.app.width)
	below := len(c.tail(room)) + len(c.asks(room))
	return max(len(c.body(room))-max(dialog.Rows(c.app.height)-below, 1), 0)
}

// body is the part that scrolls: effects, warnings, pods, changes, and consents.
func (c *confirm) body(width int) []boxLine {
	s := c.app.styles()
	lines := c.sentences(nil, s.Warn, width, c.again)
	text := s.Text
	if c.refused() {
		lines = c.sentences(lines, s.Bad, width, c.plan.Verdict.Words())
		lines = c.sentences(lines, s.Text, width, "Nothing was changed, and nothing will be. The plan was:")
		text = s.Dim
	}
	lines = c.sentences(lines, text, width, c.plan.StopWords(c.app.jobs.all)...)
	lines = c.sentences(lines, text, width, c.plan.Effects...)
	for _, warning := range c.plan.Warnings {
		for i, line := range cells.Wrap(c.app.observed.Brief(warning), width-2) {
			lead := "! "
			if i > 0 {
				lead = "  "
			}
			lines = append(lines, boxLine{text: lead + line, style: s.Warn})
		}
	}
	lines = append(lines, c.ends(width)...)
	for _, line := range c.edits() {
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
func (c *confirm) sentences(lines []boxLine, style lipgloss.Style, width int, texts ...string) []boxLine {
	for _, text := range texts {
		for _, line := range cells.Wrap(withFigures(c.app.observed.Brief(text)), width) {
			lines = append(lines, boxLine{text: strings.ReplaceAll(line, nbsp, " "), style: style})
		}
	}
	return lines
}

// edits are the fields that change, with the object's name where there are several.
// Of a drain there are none: its order says that it cordons.
func (c *confirm) edits() []string {
	if _, drains := c.plan.Action.(plan.Drains); drains {
		return nil
	}
	var lines []string
	for _, change := range c.plan.Changes {
		for _, edit := range change.Edits {
			words := edit.Words()
			if len(c.plan.Changes) > 1 {
				words = c.app.observed.NodeName(change.Target.Words()) + " " + words
			}
			lines = append(lines, words)
		}
	}
	return lines
}

// tail is the part below that does not scroll: order, the dry run's verdict, undo.
func (c *confirm) tail(width int) []boxLine {
	s := c.app.styles()
	if c.refused() {
		return nil
	}
	return c.sentences(nil, s.Text, width, c.plan.Order, c.plan.Closing())
}

// asks are the last rows: the key to press or the text to type. They are dim until
// the box takes answers. The typed text has a row of its own below a long question.
func (c *confirm) asks(width int) []dialog.Row {
	s := c.app.styles()
	style := s.Dim
	if c.guard.ready(c.app.observed.At) {
		style = s.Strong
	}
	leave := s.Dim.Render("esc cancel")
	switch {
	case c.refused():
		return []dialog.Row{{Text: style.Render("esc close")}}
	case c.open():
		return []dialog.Row{{Text: cells.Spread(style.Render("Check each [ ] with space, then answer."), leave, width)}}
	case c.question.Answer == "y":
		return []dialog.Row{{Text: style.Render(cells.Cut(c.question.Words+"   esc cancel", width))}}
	case c.wrong != "":
		leave = s.Warn.Render("no match") + s.Dim.Render("   esc cancel")
	}
	words, typed := model.Clean(c.question.Words), c.field.Drawn()
	if cells.Width(words)+cells.Width(typed)+cells.Width(c.question.Answer)+cells.Width(leave)+2 <= width {
		return []dialog.Row{{Text: cells.Spread(style.Render(words+" "+typed), leave, width)}}
	}
	var rows []dialog.Row
	for _, line := range cells.Wrap(words, width) {
		rows = append(rows, dialog.Row{Text: style.Render(line)})
	}
	return append(rows, dialog.Row{Text: cells.Spread(style.Render(typed), leave, width)})
}

// placeBadge is the corner of a box that changes something: the context.
func (x *boxes) placeBadge() string {
	s := x.app.styles()
	where := s.Accent.Render(cells.Cut(model.Clean(x.app.head.short), dialog.Most/2))
	if x.app.head.production() {
		return s.BadgeProd.Render("PROD") + " " + where
	}
	return where
}
