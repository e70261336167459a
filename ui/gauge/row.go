package gauge

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// barWidth is the cells of a bar in a row of gauges; leastWidth those of one that gives way, at least.
const barWidth, leastWidth = 10, 5

// Ending is what ends a row of gauges.
type Ending struct {
	Words  []Word
	Narrow bool // bars give way to it
}

// Word is a part of an ending.
type Word struct {
	Text string
	Tone tone.Tone
}

// Capacity draws what is requested of nodes in one row: bars of cpu and memory, each
// extended resource as requested/allocatable, pods as a percentage, then the first of the
// endings that fits. What is not allocatable on any node is unknown; what does not fit is left out.
func Capacity(s *themes.Styles, levels Levels, c *model.Capacity, width int, endings ...Ending) string {
	if c.Nodes == 0 {
		return ""
	}
	return drawRow(s, levels, c, true, width, endings)
}

// Quota draws what is requested of what a quota allows, as Capacity does; what it does not limit is
// left out.
func Quota(s *themes.Styles, levels Levels, requested, hard *model.Resources, width int, endings ...Ending) string {
	return drawRow(s, levels, &model.Capacity{Requested: *requested, Allocatable: *hard}, false, width, endings)
}

// drawRow draws the row of both. all says that cpu, memory and pods are drawn where there are none.
func drawRow(s *themes.Styles, levels Levels, c *model.Capacity, all bool, width int, endings []Ending) string {
	for _, ending := range endings {
		for bars := barWidth; bars == barWidth || bars >= leastWidth && ending.Narrow; bars-- {
			if row := capacityRow(s, levels, c, all, width, bars); row.end(s, ending.Words) {
				return row.text()
			}
		}
	}
	return capacityRow(s, levels, c, all, width, barWidth).text()
}

// capacityRow is the row without an ending, with bars of so many cells.
func capacityRow(s *themes.Styles, levels Levels, c *model.Capacity, all bool, width, bars int) *row {
	row := &row{room: width - 2} // a cell at each side
	for _, resource := range []struct {
		head string
		name corev1.ResourceName
	}{{"cpu", corev1.ResourceCPU}, {"mem", corev1.ResourceMemory}} {
		part, whole := c.Requested.Of(resource.name), c.Allocatable.Of(resource.name)
		switch {
		case whole <= 0 && !all:
			continue
		case whole <= 0:
			row.add(resource.head+" "+model.UnknownFigure, s.Dim.Render(resource.head)+" "+s.Unknown.Render(model.UnknownFigure))
			continue
		}
		plain, styled := Draw(s, levels, bars, part, whole)
		percent := levels.marked(Words(part, whole), part, whole)
		row.add(resource.head+" "+plain+" "+percent, s.Dim.Render(resource.head)+" "+styled+" "+levels.Tone(model.Percent(part, whole)).Style(s).Render(percent))
	}
	for _, name := range c.Extended() {
		part, whole := c.Requested.Of(name), c.Allocatable.Of(name)
		head, figure := model.Clean(model.ResourceWord(name)), levels.marked(model.FormatCount(part)+"/"+model.FormatCount(whole), part, whole)
		row.add(head+" "+figure, s.Dim.Render(head)+" "+levels.Tone(model.Percent(part, whole)).Style(s).Render(figure))
	}
	part, whole := c.Requested.Pods, c.Allocatable.Pods
	percent := model.UnknownFigure
	if whole > 0 {
		percent = levels.marked(Words(part, whole), part, whole)
	}
	if whole > 0 || all {
		row.add("pods "+percent, s.Dim.Render("pods")+" "+levels.Tone(model.Percent(part, whole)).Style(s).Render(percent))
	}
	return row
}

// marked is a figure with the mark of its level after it.
func (l Levels) marked(figure string, part, whole int64) string {
	return figure + strings.TrimSpace(l.Mark(model.Percent(part, whole)))
}

// row takes what fits.
type row struct {
	room  int
	drawn []string
}

func (r *row) text() string { return " " + strings.Join(r.drawn, "  ") }

// end adds words, if all of them fit.
func (r *row) end(s *themes.Styles, words []Word) bool {
	wide := 0
	for _, word := range words {
		wide += cells.Width(word.Text) + 2
	}
	if wide > r.room {
		return false
	}
	for _, word := range words {
		r.add(word.Text, word.Tone.Style(s).Render(word.Text))
	}
	return true
}

func (r *row) add(plain, styled string) {
	gap := 2
	if len(r.drawn) == 0 {
		gap = 0
	}
	if wide := cells.Width(plain) + gap; wide <= r.room {
		r.room -= wide
		r.drawn = append(r.drawn, styled)
	}
}
