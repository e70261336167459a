package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// details tell what the selected fix would do, in at most rows lines. Where they
// are more than that, the command gives way, for C copies it whole.
func (p *fixes) details(f *report.Fix, rows int) []string {
	var told []string
	if title := p.app.observed.brief(f.Title); cells.Width(title) > p.table().Title {
		told = cells.Indent(1, cells.Wrap(grammar.Capital(title)+".", p.width-1))
	}
	told = append(told, cells.Indent(1, cells.Wrap(p.verdictOn(f), p.width-1))...)
	after := labelled("Affects", p.broken(affected(f)))
	after = append(after, labelled("Undo", commandLines(f.Undo, p.width-besideLabel))...)
	remains := slices.Clone(f.Remaining)
	for i := range remains {
		remains[i] = strings.TrimPrefix(remains[i], "still ")
	}
	after = append(after, labelled("Remains", p.broken(remains))...)
	command := cells.Indent(table.Gutter, commandLines(f.Command, p.width-table.Gutter))
	if room := max(1, rows-len(told)-len(after)); len(command) > room {
		command = command[:room]
		command[room-1] = cells.Cut(command[room-1]+" …", p.width-1)
	}
	lines := append(append(told, command...), after...)
	return cells.First(lines, rows, p.width)
}

// verdictOn says what became of the pod when the fix was tried.
func (p *fixes) verdictOn(f *report.Fix) string {
	if f.Kind == report.FixQueue {
		return "Nothing to try: that is not for kube-scheduler to decide."
	}
	text := "Tried on a copy of the cluster: "
	switch {
	case f.Bypasses != "" && f.NodesGained > 0:
		text += "it fits " + p.nodesOf(f) + ", without " + model.Clean(f.Bypasses) + "."
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
func (p *fixes) nodesOf(f *report.Fix) string {
	if len(f.Nodes) == 0 {
		return figures.Count(f.NodesGained, "node", "nodes")
	}
	return p.app.observed.brief(figures.Named(f.Nodes))
}

// affected are those beside the pod whom the fix is about, a line each.
func affected(f *report.Fix) []string {
	const most = 4
	var lines []string
	for i := range f.Affects {
		if i == most-1 && len(f.Affects) > most {
			return append(lines, "and "+figures.Count(len(f.Affects)-i, "more", "more"))
		}
		lines = append(lines, f.Affects[i].Title()+" "+f.Affects[i].How)
	}
	return lines
}

// besideLabel is where texts with a label begin.
const besideLabel = 10

// broken breaks texts of ours into lines that have room beside a label.
func (p *fixes) broken(texts []string) []string {
	var lines []string
	for _, text := range texts {
		lines = append(lines, cells.Wrap(p.app.observed.brief(text), p.width-besideLabel)...)
	}
	return lines
}

// labelled puts lines beside their label, which stands on the first one only.
func labelled(label string, lines []string) []string {
	for i, line := range lines {
		lead := cells.Blank(besideLabel)
		if i == 0 {
			lead = " " + cells.Left(label, besideLabel-1)
		}
		lines[i] = lead + line
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
			case cells.Width(row)+1+cells.Width(word) <= width || cells.Width(word) > width:
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
