// Package help is the box with the keys of a page.
package help

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// New is the box with those of keys that hold on the page of that name, in its place of the key map, on
// a terminal of that height. The demo is the line of those that only the embedded cluster
// has; "" is none.
func New(keys keymap.Map, name string, in keymap.Place, demo string, height int) *dialog.Box {
	all := lines(keys, in)
	if demo != "" {
		all = append(all, demo)
	}
	return &dialog.Box{
		Title:  "Keys in " + name,
		Corner: "/ find, esc close",
		Lines:  all,
		Room:   height - 4,
		Find:   &dialog.Finder{},
	}
}

// Demo lists the keys that only the embedded cluster has, while a lesson is taken or
// not.
func Demo(keys keymap.Map, lesson bool) string {
	var all []string
	for _, b := range keys {
		if b.Group == keymap.OfDemo {
			help := b.Help
			if !lesson {
				help = strings.TrimSuffix(help, ", step")
			}
			all = append(all, b.Label+" "+help)
		}
	}
	return "In the demo: " + strings.Join(all, "   ")
}

// columnWidth is how wide a column of the help is.
const columnWidth = 25

// lines are the keys of a place in three columns, and the symbols.
func lines(keys keymap.Map, in keymap.Place) []string {
	what := "THIS PAGE"
	switch {
	case in&keymap.OnNode != 0:
		what = "THIS NODE"
	case in&keymap.OnPod != 0:
		what = "THIS POD"
	}
	columns := [][]string{
		columnOf(keys, what, keymap.OfSelection, in, 8, columnWidth-1), columnOf(keys, "LIST", keymap.OfList, in, 8, columnWidth-1), columnOf(keys, "ANYWHERE", keymap.OfAnywhere, in, 7, columnWidth+1),
	}
	columns[1] = append(columns[1], views(keys)...)
	var lines []string
	for i := 0; i < len(columns[0]) || i < len(columns[1]) || i < len(columns[2]); i++ {
		var line strings.Builder
		for at, column := range columns {
			text := ""
			if i < len(column) {
				text = column[i]
			}
			line.WriteString(cells.Left(text, []int{columnWidth, columnWidth, columnWidth + 1}[at]))
		}
		lines = append(lines, line.String())
	}
	return append(
		lines,
		"( ): not available now; press the key to see why.  ctrl-c quits",
		"✗ rejects   · passes   ? not evaluated   ✓ works in simulation   ! warning",
	)
}

// views are a head and which key is which view, two a line; they stand where the list's keys leave rows free.
func views(keys keymap.Map) []string {
	const first = 12 // cells of the first of a line
	lines, at := []string{"VIEWS"}, 0
	for _, b := range keys {
		if b.Group != keymap.OfAnywhere || b.Help != "views" {
			continue
		}
		named := b.Label + " " + b.Foot
		if at++; at%2 == 1 {
			lines = append(lines, named)
			continue
		}
		last := &lines[len(lines)-1]
		*last = cells.Left(*last, first) + named
	}
	return lines
}

// columnOf is a head and a line for each help of the group; keys that share a
// help share its line. Keys have width cells, the whole line room.
func columnOf(keys keymap.Map, head string, g keymap.Group, in keymap.Place, width, room int) []string {
	lines := []string{head}
	shown := map[keymap.Action]bool{}
	var labels []string
	help := ""
	flush := func() {
		if len(labels) > 0 {
			label := strings.Join(ranges(labels), " ")
			lead := cells.Left(label, max(width, cells.Width(label)+1))
			for _, row := range cells.Wrap(help, room-cells.Width(lead)) {
				lines = append(lines, lead+row)
				lead = cells.Blank(cells.Width(lead))
			}
		}
		labels = nil
	}
	for _, b := range keys {
		if b.Group != g || b.Where&in == 0 || b.Help == "" || shown[b.Do] {
			continue
		}
		shown[b.Do] = true
		now := b.Help
		if b.Do == keymap.Filter && in&keymap.Lists == 0 {
			now = "find" // in a text there is nothing to filter
		}
		if now != help {
			flush()
		}
		help = now
		labels = append(labels, b.Label)
	}
	flush()
	return lines
}

// ranges joins three digits or more in a row: 1–9.
func ranges(labels []string) []string {
	var joined []string
	for i := 0; i < len(labels); {
		end := i + 1
		for end < len(labels) && follows(labels[end-1], labels[end]) {
			end++
		}
		if end-i < 3 {
			end = i + 1
			joined = append(joined, labels[i])
		} else {
			joined = append(joined, labels[i]+"–"+labels[end-1])
		}
		i = end
	}
	return joined
}

// follows reports whether both are digits, the second one more than the first.
func follows(a, b string) bool {
	return len(a) == 1 && len(b) == 1 && a[0] >= '0' && b[0] <= '9' && b[0] == a[0]+1
}
