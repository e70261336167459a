// Package gauge draws how much of a whole is taken: a bar in eighths of a cell, with
// the percentage.
package gauge

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Levels are the percentages from which a part of a whole is tight, and full.
type Levels struct{ Tight, Full int }

// DefaultLevels are those where the settings name none.
var DefaultLevels = Levels{Tight: 80, Full: 95}

// Tone is the level of a percentage.
func (l Levels) Tone(percent int) tone.Tone {
	switch {
	case percent >= l.Full:
		return tone.Bad
	case percent >= l.Tight:
		return tone.Warning
	}
	return tone.Good
}

// Mark is the level of a percentage where there is no colour: "▴" for tight, "!" for full.
func (l Levels) Mark(percent int) string {
	switch {
	case percent >= l.Full:
		return "!"
	case percent >= l.Tight:
		return "▴"
	}
	return " "
}

// eighths are the parts of a cell; each has a twin in ASCII.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Bar is a bar of so many cells: what is taken, then what is free. Something that is
// taken shows, and only a whole that is taken fills the bar.
func Bar(width int, part, whole int64) (taken, free string) {
	steps := 0
	switch {
	case part <= 0:
	case whole <= 0 || part >= whole:
		steps = 8 * width
	default:
		steps = min(max(int(float64(part)/float64(whole)*float64(8*width)+0.5), 1), 8*width-1)
	}
	taken = strings.Repeat("█", steps/8) + eighths[steps%8]
	return taken, strings.Repeat("·", width-cells.Width(taken))
}

// Draw is a bar in the colour of its level.
func Draw(s *themes.Styles, levels Levels, width int, part, whole int64) (plain, styled string) {
	taken, free := Bar(width, part, whole)
	return taken + free, levels.Tone(model.Percent(part, whole)).Style(s).Render(taken) + s.BarFree.Render(free)
}

// Words is a percentage for people: "53%", at most ">999%".
func Words(part, whole int64) string {
	const most = 1000
	if whole > 0 && float64(part)/float64(whole)*100 >= most {
		return fmt.Sprintf(">%d%%", most-1)
	}
	if percent := model.Percent(part, whole); percent > 0 || part <= 0 {
		return fmt.Sprintf("%d%%", percent)
	}
	return "<1%"
}
