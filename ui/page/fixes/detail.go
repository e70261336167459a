package fixes

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
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// details are what the selected fix would do, in at most rows lines: the command comes after
// its consequences. Where they are more, the command is cut: C copies it whole.
func (p *Page) details(f *report.Fix, rows int) []string {
	var told []string
	observed := p.Host.Observed()
	if short := observed.Brief(f.ShortTitle()); cells.Width(short) > p.table().Title {
		told = cells.Indent(1, cells.Wrap(grammar.Capital(observed.Brief(f.Title))+".", p.Width-1))
	}
	told = append(told, cells.Indent(1, cells.Wrap(verdictOn(p.Host.Observed(), f), p.Width-1))...)
	told = append(told, labelled("Affects", broken(p.Host.Observed(), affected(f), p.Width-besideLabel))...)
	remains := slices.Clone(f.Remaining)
	for i := range remains {
		remains[i] = strings.TrimLeft(strings.TrimPrefix(remains[i], "still"), ": ")
	}
	told = append(told, labelled("Remains", broken(p.Host.Observed(), remains, p.Width-besideLabel))...)
	told = append(told, labelled("Undo", commandLines(f.Undo, p.Width-besideLabel))...)
	command := labelled("Command", commandLines(f.Command, p.Width-besideLabel))
	if flags := observed.Snapshot.Status.KubectlFlags; flags != "" && len(command) > 0 {
		told = append(told, labelled("Cluster", cells.Wrap(report.KubectlNeeds(flags)+".", p.Width-besideLabel))...)
	}
	if room := max(1, rows-len(told)); len(command) > room {
		command = command[:room]
		command[room-1] = cells.Cut(command[room-1]+" …", p.Width-1)
	}
	lines := append(told, command...)
	return cells.First(lines, rows, p.Width)
}

// verdictOn says whether the pod fits once the fix is made.
func verdictOn(o *page.Observed, f *report.Fix) string {
	if f.Kind == report.FixUndo {
		return "Not simulated: the workload goes back to its template before the rollout."
	}
	if f.Advises() {
		return "Not simulated: kube-scheduler does not decide this."
	}
	text := "Simulated: "
	switch {
	case f.Bypasses != "" && f.NodesGained > 0:
		text += "the pod fits " + nodesOf(o, f) + ", but bypasses " + model.Clean(f.Bypasses) + "."
	case f.Leaves != "" && f.NodesGained > 0:
		text += "the pod fits " + nodesOf(o, f) + ", but leaves " + model.Clean(f.Leaves) + "."
	case !f.Works() && f.NodesGained > 0:
		text += "the pod fits " + nodesOf(o, f) + ", but " + butWhat(f) + "."
	case !f.Works():
		text += "0 nodes fit."
	default:
		text += "the pod fits " + nodesOf(o, f) + "."
		switch {
		case f.Alike > 1 && f.PodsPlaced >= f.Alike:
			text += " " + allOf(f.Alike) + " pending replicas fit."
		case f.Alike > 1:
			text += fmt.Sprintf(" %d of %d pending replicas %s.", f.PodsPlaced, f.Alike, grammar.Agree(f.PodsPlaced, "fits", "fit"))
		}
	}
	if f.Recreates {
		text += " The command deletes and recreates the pod."
	}
	return text
}

// nodesOf names the nodes that a fix gains.
func nodesOf(o *page.Observed, f *report.Fix) string {
	if len(f.Nodes) == 0 {
		return figures.Count(f.NodesGained, "node", "nodes")
	}
	return o.Brief(figures.Named(f.Nodes))
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

// broken breaks texts of ours into lines of width cells.
func broken(o *page.Observed, texts []string, width int) []string {
	var lines []string
	for _, text := range texts {
		lines = append(lines, cells.Wrap(o.Brief(text), width)...)
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

// allOf is "Both", or "All 3".
func allOf(n int) string {
	if n == 2 {
		return "Both"
	}
	return fmt.Sprintf("All %d", n)
}

// butWhat is why a fix with which the pod fits a node does not work.
func butWhat(f *report.Fix) string {
	if len(f.Remaining) == 0 {
		return "that is not enough"
	}
	return strings.TrimSuffix(model.Clean(f.Remaining[0]), ".")
}
