package report

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// WithFixes is the report with the fixes that were tried for its pod. The report
// itself, which others may hold, stays as it is.
func (r *Report) WithFixes(fixes *Fixes) *Report {
	told := *r
	told.Tried = fixes
	told.Fixes = make([]Fix, 0, len(fixes.Tried))
	for _, fix := range fixes.Tried {
		if fix.Affects == nil {
			fix.Affects = []Affected{}
		}
		if fix.Remaining == nil {
			fix.Remaining = []string{}
		}
		if fix.Unless == nil {
			fix.Unless = []Unless{}
		}
		told.Fixes = append(told.Fixes, fix)
	}
	return &told
}

// fixes are the fixes: all of them with their commands, but for uncertain ones of one kind only
// the first few, or the first ones in a line each.
func (c composer) fixes() []Section {
	fixes := c.report.Tried
	switch {
	case fixes == nil, len(fixes.Tried) == 0 && !IsFixable(c.report) && c.report.Verdict != Unknown:
		return nil
	case len(fixes.Tried) == 0:
		return []Section{{Lines: []string{"Fixes: " + fixes.Sentence()}}}
	}
	shown, alike := c.shownFixes()
	table := &Table{Columns: []Column{{Head: fixes.head()}, {FitsHead, Right}, {PlacesHead, Right}, {Head: EffectsHead}}}
	commands := false
	for i := range shown {
		f := &shown[i]
		row := Row{Cells: []string{f.mark() + " " + f.ShortTitle(), f.Gains(), f.Places(), f.Outcome()}}
		if c.options.Fixes {
			row.Code, row.Below = f.detail()
			commands = commands || len(f.commandLines()) > 0
		}
		table.Rows = append(table.Rows, row)
	}
	section := Section{Table: table}
	if fixes.Stopped != "" {
		section.Notes = append(section.Notes, sentence(fixes.Stopped))
	}
	if alike > 0 {
		section.Notes = append(section.Notes, grammar.Count(alike, "more fix like those that are", "more fixes like those that are")+" not certain: --verbose shows them.")
	}
	if c.options.Fixes && fixes.Pairs > 0 {
		section.Notes = append(section.Notes, grammar.Count(fixes.Pairs, "two-step fix was", "two-step fixes were")+" not simulated: enough one-step fixes work.")
	}
	if c.options.Fixes && fixes.NoNode != "" {
		section.Notes = append(section.Notes, sentence(fixes.NoNode))
	}
	if commands {
		section.Notes = append(section.Notes, c.cluster()...)
	}
	return []Section{section}
}

// cluster says which flags kubectl needs for commands, in one note; nil: none.
func (c composer) cluster() []string {
	if c.options.KubectlFlags == "" {
		return nil
	}
	return []string{KubectlNeeds(c.options.KubectlFlags) + "."}
}

// KubectlNeeds says that commands would reach another cluster without these flags.
func KubectlNeeds(flags string) string {
	return "To reach this cluster, kubectl needs " + model.Clean(flags)
}

// shownFixes are the fixes that a text has, and how many of those that all are wanted of are left
// out: those of one kind that place as many pods, and not for certain, are much alike.
func (c composer) shownFixes() (shown []Fix, alike int) {
	all := c.report.Fixes
	switch {
	case !c.options.Fixes:
		return all[:min(len(all), firstFixes)], 0
	case c.options.Verbose:
		return all, 0
	}
	type kind struct {
		FixKind
		placed int
	}
	of := map[kind]int{}
	for i := range all {
		f := &all[i]
		if uncertain := !f.Works() && !f.Advises(); uncertain {
			if of[kind{f.Kind, f.PodsPlaced}]++; of[kind{f.Kind, f.PodsPlaced}] > firstAlike {
				alike++
				continue
			}
		}
		shown = append(shown, *f)
	}
	if alike == 1 { // its line is no longer than the one that says so
		return all, 0
	}
	return shown, alike
}

// firstAlike is how many uncertain fixes of one kind are shown that place as many pods.
const firstAlike = 3

// head counts the fixes over their titles, briefly where there is much to count.
func (f *Fixes) head() string {
	counts, word := f.Counts(), f.HeadWord()
	if len(counts) > longestCounts {
		word = FixesWord
	}
	return word + ": " + counts
}

// longestCounts is what has room beside FixesHead at 80 columns.
const longestCounts = len("1 works, 1 does not")

// The heads of a table of fixes.
const (
	FixesHead   = "FIXES (simulated)"
	FixesWord   = "FIXES" // where that has no room
	FitsHead    = "FITS"
	PlacesHead  = "PLACES"
	EffectsHead = "SIDE EFFECTS"
)

// mark says whether the fix works, in a sign.
func (f *Fix) mark() string {
	switch {
	case f.Works():
		return "✓"
	case f.Advises():
		return "!"
	case f.May(), f.Unevaluated():
		return "?"
	}
	return "✗"
}

// ownDomains removes the domains of label keys that Kubernetes itself owns.
var ownDomains = strings.NewReplacer(" topology.kubernetes.io/", " ", " node.kubernetes.io/", " ", " kubernetes.io/", " ")

// ShortTitle is the title for a row: without the domains of well-known label keys, which
// the command has.
func (f *Fix) ShortTitle() string { return ShortLabels(f.Title) }

// ShortLabels is text for a cell: without the domains of well-known label keys.
func ShortLabels(text string) string { return ownDomains.Replace(" " + text)[1:] }

// detail is the command of a fix that may work and, a line each, whom it affects, how to take it
// back and what it leaves.
func (f *Fix) detail() (command, lines []string) {
	switch {
	case f.Verified:
		command = f.commandLines()
	case f.May(), f.Unevaluated(), f.Advises():
		lines = f.commandLines() // nobody should run it from a document
	}
	for i := range f.Affects {
		lines = append(lines, "affects  "+f.Affects[i].Title()+" "+f.Affects[i].How)
	}
	if f.Recreates {
		lines = append(lines, "deletes and recreates the pod")
	}
	if f.Undo != "" && f.Verified {
		lines = append(lines, "undo     "+model.Clean(f.Undo))
	}
	for i, remains := range f.Remaining {
		if i > 0 || f.Works() { // the row above has the first of a fix that does not work
			lines = append(lines, "remains  "+remains)
		}
	}
	return command, lines
}

// commandLines are the lines of the command of a fix that gains anything.
func (f *Fix) commandLines() []string {
	if f.Command == "" || f.NodesGained == 0 && !f.Verified && !f.Advises() {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(f.Command, "\n"), "\n")
	for i, line := range lines {
		lines[i] = model.Clean(line)
	}
	return lines
}
