package nodefacts

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

const (
	// wideFrom is the width from which bars are longer and gaps wider.
	wideFrom = 120

	barWidth, wideBar = 5, 10
	nameWidth         = 9
	// percentWidth is that of a percentage after a bar or an amount.
	percentWidth = 5
)

// part is a column of the resources: its head, its width, and the gap before it.
type part struct {
	head  string
	width int
}

// parts are the columns; requested has a bar behind it.
func (d *drawing) parts() []part {
	if d.width >= wideFrom {
		return []part{{"CAPACITY", 9}, {"ALLOCATABLE", 12}, {"RESERVED", 9}, {"REQUESTED", 10}, {"LIMITS", 8}, {"% OF ALLOC", 11}, {"USED", 7}, {"FREE", 7}}
	}
	return []part{{"CAPACITY", 8}, {"ALLOC", 7}, {"RESERVED", 9}, {"REQUESTED", 10}, {"LIMITS", 6}, {"", percentWidth}, {"USED", 6}, {"FREE", 6}}
}

// requestedAt is the column that the bar is behind.
const requestedAt = 3

func (d *drawing) barWidth() int {
	if d.width >= wideFrom {
		return wideBar
	}
	return barWidth
}

// head is the line of heads.
func (d *drawing) head() string {
	var b strings.Builder
	b.WriteString(cells.Blank(table.Gutter) + cells.Left("RESOURCE", nameWidth))
	for i, p := range d.parts() {
		b.WriteString(cells.Right(p.head, p.width))
		if i == requestedAt {
			b.WriteString(cells.Blank(1 + d.barWidth() + percentWidth))
		}
	}
	return d.host.Styles().Head.Render(cells.Cut(b.String(), d.width))
}

// resources are a line for each resource, at most so many; the last one counts the rest.
func (d *drawing) resources(most int) []string {
	all := inventory.Figures(d.of)
	shown := all
	if len(all) > most {
		shown = all[:most-1]
	}
	var lines []string
	for i := range shown {
		lines = append(lines, d.resource(&shown[i]))
	}
	if more := len(all) - len(shown); more > 0 {
		lines = append(lines, d.line(figures.Count(more, "more resource", "more resources"), tone.Dim))
	}
	return lines
}

// resource is one line: capacity, allocatable, reserved, requested with a bar, limits with
// how much they are of allocatable, used, free.
func (d *drawing) resource(f *inventory.Figure) string {
	known := d.host.Observed().PodsUnknown() == ""
	tones := map[int]tone.Tone{}
	texts := []string{
		orUnknown(f.Name, f.Capacity, model.Down, f.Capacity > 0),
		orUnknown(f.Name, f.Allocatable, model.Down, f.Allocatable > 0 || f.Capacity > 0),
		model.UnknownFigure,
		orUnknown(f.Name, f.Requested, model.Up, known),
		orUnknown(f.Name, f.Limits, model.Up, known), "",
		d.usedText(f.Name),
		orUnknown(f.Name, f.Free(), model.Down, known && f.Allocatable > 0),
	}
	if f.Capacity > 0 {
		texts[0], texts[1], texts[2] = sumTexts(f)
	}
	const limitsAt, overAt = 4, 5
	if known && f.Limits == 0 {
		texts[limitsAt] = "–"
	}
	if known && f.Limits > 0 && f.Allocatable > 0 {
		over := model.Percent(f.Limits, f.Allocatable)
		texts[overAt] = fmt.Sprintf("%d%%", over)
		const whole = 100
		if over > whole && overcommits(f.Name) {
			tones[overAt] = tone.Warning
		}
	}
	return d.drawn(f, texts, tones, known)
}

// sumTexts format capacity, allocatable and what is reserved of a known capacity, so that the sum
// holds as it is read.
func sumTexts(f *inventory.Figure) (capacity, allocatable, reserved string) {
	const core, wholeFrom = 1000, 100 * 1000 // from here FormatCores has whole cores
	rest, _ := f.Reserved()
	switch {
	case f.Capacity != f.Allocatable+rest: // the node says that more is allocatable than it has
	case figures.CountsBytes(f.Name):
		allocatable, capacity, reserved = model.FormatMemoryShortSum(f.Capacity, rest)
		return capacity, allocatable, reserved
	case f.Name == corev1.ResourceCPU && f.Allocatable >= wholeFrom:
		rest = f.Capacity/core*core - f.Allocatable/core*core
	}
	return figures.ColumnText(f.Name, f.Capacity, model.Down), figures.ColumnText(f.Name, f.Allocatable, model.Down), figures.ColumnText(f.Name, rest, model.Up)
}

// drawn is the line of a resource of texts, with the bar of what is requested.
func (d *drawing) drawn(f *inventory.Figure, texts []string, tones map[int]tone.Tone, known bool) string {
	s, levels := d.host.Styles(), d.host.Levels()
	percent := model.Percent(f.Requested, f.Allocatable)
	var b strings.Builder
	b.WriteString(s.Text.Render(cells.Blank(table.Gutter) + cells.Left(cells.Cut(model.Clean(nameOf(f.Name)), nameWidth-1), nameWidth)))
	for i, p := range d.parts() {
		of := tones[i]
		if texts[i] == model.UnknownFigure {
			of = tone.Unknown
		}
		b.WriteString(of.Style(s).Render(cells.Right(texts[i], p.width)))
		switch {
		case i != requestedAt:
		case !known || f.Allocatable <= 0:
			b.WriteString(cells.Blank(1 + d.barWidth() + percentWidth))
		default:
			b.WriteString(" " + gauge.DrawUsed(s, levels, d.barWidth(), f.Requested, f.Allocatable, d.used(f.Name)) +
				levels.Tone(percent).Style(s).Render(cells.Right(gauge.Words(f.Requested, f.Allocatable), percentWidth)))
		}
	}
	return b.String()
}

// nameOf is a resource in a word; of huge pages the size is the difference: "huge 2Mi".
func nameOf(name corev1.ResourceName) string {
	if size, ok := strings.CutPrefix(string(name), corev1.ResourceHugePagesPrefix); ok {
		return "huge " + size
	}
	return model.ResourceWord(name)
}

// overcommits reports whether limits of a resource may be above what is allocatable; those
// of extended resources are equal to the requests.
func overcommits(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage
}

// orUnknown is an amount, or ?.
func orUnknown(name corev1.ResourceName, amount int64, round model.Rounding, known bool) string {
	if !known {
		return model.UnknownFigure
	}
	return figures.ColumnText(name, amount, round)
}

// used is what is measured of a resource.
func (d *drawing) used(name corev1.ResourceName) int64 {
	if used, ok := figures.UsedOn(d.of, name, d.host.Observed().Snapshot.Usage); ok {
		return used
	}
	return gauge.Unmeasured
}

// usedText is what is used; "" of what metrics do not have.
func (d *drawing) usedText(name corev1.ResourceName) string {
	switch used := d.used(name); {
	case used >= 0:
		return figures.ColumnText(name, used, model.Nearest)
	case name == corev1.ResourceCPU, name == corev1.ResourceMemory:
		return model.UnknownFigure
	}
	return "–"
}
