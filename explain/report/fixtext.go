package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// briefFixes is how many fixes a text tells of that was not asked for all.
const briefFixes = 3

// WithFixes is the report with the fixes that were tried for its pod. The report
// itself, which others may hold, stays as it is.
func (r *Report) WithFixes(fixes *Fixes) *Report {
	told := *r
	told.FixSummary, told.FixPairs = fixes.Sentence(), fixes.Pairs
	told.Fixes = make([]Fix, 0, len(fixes.Tried))
	for _, fix := range fixes.Tried {
		if fix.Affects == nil {
			fix.Affects = []Affected{}
		}
		if fix.Remaining == nil {
			fix.Remaining = []string{}
		}
		told.Fixes = append(told.Fixes, fix)
	}
	return &told
}

// lacks says whether there is anything to fix about the verdict.
func (v Verdict) lacks() bool {
	switch v {
	case Unschedulable, Gated, NotCreated, NotConsidered, Unknown:
		return true
	case Scheduled, Schedulable, Preempting:
	}
	return false
}

// fixLines tell of the fixes: all of them with their commands, or the first ones
// in a line each.
func (r *Report) fixLines(all bool) []string {
	switch {
	case r.FixSummary == "", len(r.Fixes) == 0 && !r.Verdict.lacks():
		return nil
	case len(r.Fixes) == 0:
		return []string{"Fixes: " + r.FixSummary}
	}
	shown := r.Fixes
	if !all {
		shown = shown[:min(len(shown), briefFixes)]
	}
	brief := r.briefly()
	rows := [][]string{{"  FIX", "ADDS", "PLACES", "AFFECTS"}}
	for i := range shown {
		f := &shown[i]
		rows = append(rows, []string{"  " + f.mark() + " " + brief(f.Title), f.Gains(), f.Places(), brief(f.Outcome())})
	}
	table := aligned(rows)
	lines := []string{"Tried on a copy of the cluster. " + r.FixSummary, table[0]}
	for i := range shown {
		lines = append(lines, table[i+1])
		if all {
			lines = append(lines, shown[i].detail()...)
		}
	}
	return append(lines, r.fixesLeftOut(all)...)
}

// fixesLeftOut says what else there is, and how to be told.
func (r *Report) fixesLeftOut(all bool) []string {
	rest := len(r.Fixes) - briefFixes
	commands := slices.ContainsFunc(r.Fixes, func(f Fix) bool { return len(f.commandLines()) > 0 })
	switch {
	case all && r.FixPairs > 0:
		return []string{fmt.Sprintf("  %s not tried: enough work already.", grammar.Count(r.FixPairs, "more of two steps was", "more of two steps were"))}
	case !all && rest > 0:
		return []string{fmt.Sprintf("  %d more: --fixes lists all, with their commands.", rest)}
	case !all && commands:
		return []string{"  --fixes tells their commands."}
	}
	return nil
}

// mark says whether the fix works, in a sign.
func (f *Fix) mark() string {
	switch {
	case f.Verified:
		return "✓"
	case f.Kind == FixQueue:
		return "!"
	}
	return "✗"
}

// detail is what a fix would run and whom it affects, a line each.
func (f *Fix) detail() []string {
	const indent = "      "
	var lines []string
	for _, line := range f.commandLines() {
		lines = append(lines, indent+line)
	}
	for i := range f.Affects {
		lines = append(lines, indent+"affects  "+f.Affects[i].Title()+" "+f.Affects[i].How)
	}
	if f.Recreates {
		lines = append(lines, indent+"deletes the pod and creates it again")
	}
	if f.Undo != "" && f.Verified {
		lines = append(lines, indent+"undo     "+model.Clean(f.Undo))
	}
	for i, remains := range f.Remaining {
		if i > 0 || f.Verified { // the row above has the first of a fix that does not work
			lines = append(lines, indent+"remains  "+remains)
		}
	}
	return lines
}

// commandLines are the lines of the command of a fix that gains anything.
func (f *Fix) commandLines() []string {
	if f.Command == "" || f.NodesGained == 0 && !f.Verified {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(f.Command, "\n"), "\n")
	for i, line := range lines {
		lines[i] = model.Clean(line)
	}
	return lines
}

// aligned puts rows into columns: figures to the right, the rest to the left.
func aligned(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, text := range row {
			widths[c] = max(widths[c], grammar.Cells(model.Clean(text)))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		padded := make([]string, len(row))
		for c, text := range row {
			text = model.Clean(text)
			padding := strings.Repeat(" ", widths[c]-grammar.Cells(text))
			if c == 0 || c == len(row)-1 {
				padded[c] = text + padding
			} else {
				padded[c] = padding + text
			}
		}
		lines[i] = strings.TrimRight(strings.Join(padded, "  "), " ")
	}
	return lines
}

// markdownFixes tabulates the fixes; the commands of those that work follow.
func (r *Report) markdownFixes() []string {
	if len(r.Fixes) == 0 {
		return bulletsOf(r.fixLines(false))
	}
	lines := []string{"| | fix, tried on a copy | adds | places | affects, or what remains |", "|--|--|--:|--:|--|"}
	var commands []string
	for i := range r.Fixes {
		f := &r.Fixes[i]
		lines = append(lines, row(f.mark(), f.Title, f.Gains(), f.Places(), f.Outcome()))
		if f.Verified && f.Command != "" {
			commands = append(commands, "To "+prose(f.Title)+":", fencedLines(f.commandLines()))
		}
	}
	return append([]string{prose(r.FixSummary), strings.Join(lines, "\n")}, commands...)
}

// bulletsOf is a block of bullets; none of no lines.
func bulletsOf(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return []string{bullets(lines)}
}
