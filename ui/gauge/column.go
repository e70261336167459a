package gauge

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Unmeasured is the usage of what no metrics are there for.
const Unmeasured = -1

// usedMark is where usage is in a bar.
const usedMark = "╎"

// Cell is a part of a whole in a column: the mark of its level, a bar of so many cells
// with usage in it, and the percentage. An unknown whole is ?.
func (l Levels) Cell(width int, part, whole, used int64) table.Cell {
	return l.CellOf(tone.Good, width, part, whole, used)
}

// CellOf is Cell of what is in trouble, whatever is taken of it: a level, Warning or Bad, that the bar has at
// least; Good is none.
func (l Levels) CellOf(least tone.Tone, width int, part, whole, used int64) table.Cell {
	if whole <= 0 {
		return table.Cell{Text: " " + model.UnknownFigure, Tone: tone.Unknown}
	}
	level := model.Percent(part, whole)
	switch least {
	case tone.Bad:
		level = max(level, l.Full)
	case tone.Warning:
		level = max(level, l.Tight)
	}
	mark, percent := l.Mark(level), fmt.Sprintf("%4s", Words(part, whole))
	parts := withUsed(max(0, width+len("100%")-len(percent)), part, whole, used) // ">999%" takes a cell of the bar
	return table.Cell{Text: mark + strings.Join(parts[:], "") + percent, Styled: func(s *themes.Styles) string {
		own := l.Tone(level).Style(s)
		return own.Render(mark) + drawn(s, l.Tone(level), parts) + own.Render(percent)
	}}
}

// Figure is a part of a whole of which there are few, such as GPUs, in a column: "3/8", with the mark of its
// level before it from tight on.
func (l Levels) Figure(part, whole int64) table.Cell {
	made := table.Cell{Text: model.FormatCount(part) + "/" + model.FormatCount(whole)}
	made.Text, made.Tone = l.Marked(made.Text, part, whole)
	return made
}

// Marked is a figure about a part of a whole with the mark of its level before it, and the tone of the level;
// below tight it stays as it is.
func (l Levels) Marked(figure string, part, whole int64) (string, tone.Tone) {
	if level := model.Percent(part, whole); whole > 0 && level >= l.Tight {
		return l.Mark(level) + figure, l.Tone(level)
	}
	return figure, tone.Plain
}

// DrawUsed is Draw with usage in the bar.
func DrawUsed(s *themes.Styles, levels Levels, width int, part, whole, used int64) string {
	return drawn(s, levels.Tone(model.Percent(part, whole)), withUsed(width, part, whole, used))
}

// bar is what is taken before the mark of usage, what is free before it, the mark, and
// both after it.
type bar [5]string

func drawn(s *themes.Styles, level tone.Tone, b bar) string {
	var made strings.Builder
	for i, style := range []interface{ Render(...string) string }{level.Style(s), s.BarFree, s.BarUsed, level.Style(s), s.BarFree} {
		if b[i] != "" {
			made.WriteString(style.Render(b[i]))
		}
	}
	return made.String()
}

// withUsed is a bar with the mark in the cell up to which the whole is used.
func withUsed(width int, part, whole, used int64) bar {
	taken, free := Bar(width, part, whole)
	if used < 0 || whole <= 0 {
		return bar{taken, free}
	}
	at := min(int(float64(used)/float64(whole)*float64(width)), width-1)
	cells := []rune(taken + free)
	n := len([]rune(taken))
	return bar{
		string(cells[:min(at, n)]), string(cells[min(at, n):at]), usedMark,
		string(cells[at+1 : max(at+1, n)]), string(cells[max(at+1, n):]),
	}
}
