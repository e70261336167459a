package ui

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// openHelp shows the keys of the page.
func (x *boxes) openHelp() {
	v := x.app.history.top()
	name := model.Clean(v.Crumbs()[0])
	if v.Places()&keymap.Text != 0 {
		name = "text"
	}
	x.app.box = &dialog.Box{
		Title:  "Keys in " + strings.ToUpper(name[:1]) + name[1:],
		Corner: "/ find, esc close",
		Lines:  x.helpLines(x.app.keyboard.placesOf(v)),
		Room:   x.app.height - 4,
		Find:   &dialog.Finder{},
	}
}

// helpLines are the keys of a place, on the embedded cluster also those of a demo.
func (x *boxes) helpLines(in keymap.Place) []string {
	lines := helpLines(in)
	if !x.app.Demo {
		return lines
	}
	var demo []string
	for _, b := range keymap.Bindings {
		if b.Group == keymap.OfDemo {
			help := b.Help
			if x.app.lesson.taken == nil {
				help = strings.TrimSuffix(help, ", step")
			}
			demo = append(demo, b.Label+" "+help)
		}
	}
	return append(lines, "In the demo: "+strings.Join(demo, "   "))
}

// helpWidth is how wide a column of the help is.
const helpWidth = 25

// helpLines are the keys of a place in three columns, and the symbols.
func helpLines(in keymap.Place) []string {
	what := "THIS PAGE"
	switch {
	case in&keymap.OnNode != 0:
		what = "THIS NODE"
	case in&keymap.OnPod != 0:
		what = "THIS POD"
	}
	columns := [][]string{
		helpColumn(what, keymap.OfSelection, in, 8, helpWidth-1), helpColumn("LIST", keymap.OfList, in, 8, helpWidth-1), helpColumn("ANYWHERE", keymap.OfAnywhere, in, 7, helpWidth+1),
	}
	var lines []string
	for i := 0; i < len(columns[0]) || i < len(columns[1]) || i < len(columns[2]); i++ {
		var line strings.Builder
		for at, column := range columns {
			text := ""
			if i < len(column) {
				text = column[i]
			}
			line.WriteString(cells.Left(text, []int{helpWidth, helpWidth, helpWidth + 1}[at]))
		}
		lines = append(lines, line.String())
	}
	return append(
		lines,
		"( ): not available now; press the key to see why.  ctrl-c quits",
		"✗ rejects   · passes   ? not evaluated   ✓ works in simulation   ! warning",
	)
}

// helpColumn is a head and a line for each help of the group; keys that share a
// help share its line. Keys have width cells, the whole line room.
func helpColumn(head string, g keymap.Group, in keymap.Place, width, room int) []string {
	lines := []string{head}
	shown := map[keymap.Action]bool{}
	var labels []string
	help := ""
	flush := func() {
		if len(labels) > 0 {
			label := strings.Join(labels, " ")
			lead := cells.Left(label, max(width, cells.Width(label)+1))
			for _, row := range cells.Wrap(help, room-cells.Width(lead)) {
				lines = append(lines, lead+row)
				lead = cells.Blank(cells.Width(lead))
			}
		}
		labels = nil
	}
	for _, b := range keymap.Bindings {
		if b.Group != g || b.Where&in == 0 || b.Help == "" || shown[b.Do] {
			continue
		}
		shown[b.Do] = true
		if b.Help != help {
			flush()
		}
		help = b.Help
		labels = append(labels, b.Label)
	}
	flush()
	return lines
}
