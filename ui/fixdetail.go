package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// details tell what the selected fix would do, in at most rows lines. Where they
// are more than that, the command gives way, for C copies it whole.
func (p *fixes) details(f *explain.Fix, rows int) []string {
	told := indented(1, wrapped(p.verdictOn(f), p.width-1))
	after := p.labelled("Affects", affected(f), p.app.brief)
	if f.Undo != "" {
		after = append(after, p.labelled("Undo", []string{f.Undo}, model.Clean)...)
	}
	after = append(after, p.labelled("Remains", f.Remaining, func(text string) string {
		return p.app.brief(strings.TrimPrefix(text, "still "))
	})...)
	command := indented(gutter, commandLines(f.Command, p.width-gutter))
	if room := max(1, rows-len(told)-len(after)); len(command) > room {
		command = command[:room]
		command[room-1] = cut(command[room-1]+" …", p.width-1)
	}
	lines := append(append(told, command...), after...)
	return lines[:min(len(lines), max(0, rows))]
}

// verdictOn says what became of the pod when the fix was tried.
func (p *fixes) verdictOn(f *explain.Fix) string {
	text := "Tried on a copy of the cluster: "
	switch {
	case !f.Verified && f.NodesGained > 0:
		text += "it fits " + p.nodesOf(f) + ". That is not enough yet."
	case !f.Verified:
		text += "it still fits no node."
	default:
		text += "it fits " + p.nodesOf(f) + "."
		switch {
		case f.Alike > 1 && f.PodsPlaced >= f.Alike:
			text += fmt.Sprintf(" That places all %d alike.", f.Alike)
		case f.Alike > 1:
			text += fmt.Sprintf(" That places %d of the %d alike.", f.PodsPlaced, f.Alike)
		}
	}
	if f.Recreates {
		text += " The command deletes the pod and creates it again."
	}
	return text
}

// nodesOf names the nodes that a fix gains.
func (p *fixes) nodesOf(f *explain.Fix) string {
	if len(f.Nodes) == 0 {
		return count(f.NodesGained, "node", "nodes")
	}
	return p.app.brief(named(f.Nodes))
}

// affected are those beside the pod whom the fix is about, a line each.
func affected(f *explain.Fix) []string {
	const most = 4
	var lines []string
	for i := range f.Affects {
		if i == most-1 && len(f.Affects) > most {
			return append(lines, "and "+count(len(f.Affects)-i, "more", "more"))
		}
		lines = append(lines, f.Affects[i].Title()+" "+f.Affects[i].How)
	}
	return lines
}

// labelled puts texts beside their label, which stands on the first line only.
func (p *fixes) labelled(label string, texts []string, clean func(string) string) []string {
	const beside = 10
	var lines []string
	for _, text := range texts {
		lines = append(lines, indented(beside, wrapped(clean(text), p.width-beside))...)
	}
	if len(lines) > 0 {
		lines[0] = " " + left(label, beside-1) + lines[0][beside:]
	}
	return lines
}

// commandLines breaks a command between its words, so that it can be read; what
// is longer than a line is broken where the line ends.
func commandLines(command string, width int) []string {
	if command == "" {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(command, "\n"), "\n") {
		row := ""
		for i, word := range strings.Split(model.Clean(line), " ") {
			switch {
			case i == 0:
				row = word
			case cells(row)+1+cells(word) <= width || cells(word) > width:
				row += " " + word
			default:
				lines = append(lines, row)
				row = word
			}
			broken := strings.Split(ansi.Hardwrap(row, max(1, width), true), "\n")
			lines = append(lines, broken[:len(broken)-1]...)
			row = broken[len(broken)-1]
		}
		lines = append(lines, row)
	}
	return lines
}
