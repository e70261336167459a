package fixes

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Table lays fixes out in columns, for Why and for this page.
type Table struct {
	Title, adds, places, Affects int // widths in cells; without its column 0
	wide                         bool
	domain                       string
	styles                       *themes.Styles
}

const (
	fixLead       = table.Gutter + 2 // the cursor, and whether the fix works
	fixTitleLeast = 36               // the head, with how many fixes work, has room in it
	fixTitleMin   = 43               // so much is left to a title that needs it where ADDS takes 7 cells
	fixAddsMin    = 7                // "3 nodes"
	fixPlacesMin  = 6                // "1 of 3"
	fixPodsMin    = 4                // its head where there is little room: "1/3"
	fixOthersMin  = 47               // to AFFECTS, where the title could take more
	fixOthersFew  = 12               // with less than that AFFECTS is left out
)

// NewTable lays the columns out in width cells.
func NewTable(fixes []report.Fix, width int, domain string, styles *themes.Styles) Table {
	t := Table{adds: fixAddsMin, wide: width >= cells.WideFrom, domain: domain, styles: styles}
	longest := 0
	for i := range fixes {
		longest = max(longest, cells.Width(t.brief(fixes[i].ShortTitle())))
		t.adds = max(t.adds, cells.Width(fixes[i].Gains()))
		t.places = max(t.places, cells.Width(t.placed(&fixes[i])))
	}
	if t.wide || t.places > 0 {
		t.places = max(t.places, t.placesLeast())
	}
	t.Title = max(fixTitleLeast, min(longest, fixTitleMin+fixAddsMin-t.adds))
	if t.affectsAt()-2 > width {
		t.places = 0
	}
	rest := width - t.affectsAt()
	if more := min(longest-t.Title, rest-fixOthersMin); more > 0 {
		t.Title += more
		rest -= more
	}
	if drawn := t.widest(fixes); drawn < t.Title { // names without their hashes may be shorter
		rest += t.Title - drawn
		t.Title = drawn
	}
	if rest >= fixOthersFew {
		t.Affects = rest
	}
	return t
}

// placed is how many of the pending replicas a fix places: "1 of 3", or "1/3" where there is little
// room; "" for a pod that is none of several.
func (t Table) placed(f *report.Fix) string {
	if t.wide {
		return f.Places()
	}
	if f.Alike < 2 {
		return ""
	}
	return strings.Replace(f.Places(), " of ", "/", 1)
}

// placesLeast is how many cells the column has at least, for its head.
func (t Table) placesLeast() int {
	if t.wide {
		return fixPlacesMin
	}
	return fixPodsMin
}

// placesHead is the head of the column.
func (t Table) placesHead() string {
	if t.wide {
		return report.PlacesHead
	}
	return "PODS"
}

// widest is how many cells the titles take as they are drawn, or the head does.
func (t Table) widest(fixes []report.Fix) int {
	widest := fixTitleLeast
	for i := range fixes {
		widest = max(widest, cells.Width(t.title(&fixes[i])))
	}
	return widest
}

// affectsAt is the column in which AFFECTS begins.
func (t Table) affectsAt() int {
	at := fixLead + t.Title + 1 + t.adds + 2
	if t.places > 0 {
		at += t.places + 2
	}
	return at
}

// brief is text of ours, clean and with short names of nodes.
func (t Table) brief(text string) string {
	return model.Clean(figures.WithoutDomain(text, t.domain))
}

// title is that of a fix, where it has no room without the hashes in names of pods. Of several
// steps the last is shown at least in part: names are cut for that, or the steps are counted.
func (t Table) title(f *report.Fix) string {
	title := t.brief(f.ShortTitle())
	if cells.Width(title) <= t.Title {
		return title
	}
	words := strings.Split(title, " ")
	for i, word := range words {
		if strings.Contains(word, "/") {
			words[i] = cells.WithoutHash(word)
		}
	}
	if title = strings.Join(words, " "); f.Steps < 2 || cells.Width(title) <= t.Title {
		return title
	}
	const least = 9 // of a name
	title = withShortNames(words, t.Title, least)
	if at := strings.LastIndex(title, stepsJoint); at >= 0 && cells.Width(title[:at])+len(stepsJoint)+least <= t.Title {
		return title
	}
	more := " +" + figures.Count(f.Steps-1, "step", "steps")
	return cells.Cut(title, t.Title-len(more)) + more
}

// stepsJoint stands between the steps in the title of a fix.
const stepsJoint = " and "

// withShortNames cuts names among words, each to least cells at most, until all have width cells.
func withShortNames(words []string, width, least int) string {
	over := func() int { return cells.Width(strings.Join(words, " ")) - width }
	isName := func(word string) bool { return strings.Contains(word, "-") && !strings.ContainsAny(word, "=:") }
	for i, word := range words {
		if node, _, _ := strings.Cut(word, "."); isName(node) && !strings.Contains(word, "/") && over() > 0 {
			words[i] = node // without the domain
		}
	}
	for i, word := range words {
		if more := over(); more > 0 && isName(word) {
			words[i] = cells.CutName(word, max(least, cells.Width(word)-more))
		}
	}
	return strings.Join(words, " ")
}

// Head is the row of heads after a lead.
func (t Table) Head(lead string) string {
	return t.styles.Head.Render(strings.TrimRight(t.heads(lead), " "))
}

// heads is the row of heads as it is written.
func (t Table) heads(lead string) string {
	row := cells.Left(lead, t.leadWidth()) + " " + report.FitsHead
	if t.places > 0 {
		row += "  " + cells.Right(t.placesHead(), t.places)
	}
	if t.Affects > 0 {
		row += "  " + report.EffectsHead
	}
	return row
}

// leadWidth is how many cells the row of heads has for its lead.
func (t Table) leadWidth() int { return fixLead + t.Title + t.adds - len(report.FitsHead) }

// Ruled is the row of heads as a rule of width cells over the fixes, after the first
// lead that it has room for with some of the rule behind it.
func (t Table) Ruled(leads []string, width int) string {
	const line = " ─ "
	lead := leads[len(leads)-1]
	if i := slices.IndexFunc(leads, func(l string) bool { return cells.Width(line+l)+2 <= t.leadWidth() }); i >= 0 {
		lead = leads[i]
	}
	words := strings.TrimRight(t.heads(line+lead), " ")
	var drawn strings.Builder
	for words != "" {
		at := strings.Index(words, "   ")
		if at < 0 {
			drawn.WriteString(t.ruledWords(words))
			break
		}
		gap := len(words[at:]) - len(strings.TrimLeft(words[at:], " "))
		drawn.WriteString(t.ruledWords(words[:at]) + t.styles.Rule.Render(" "+strings.Repeat("─", gap-2)+" "))
		words = words[at+gap:]
	}
	rest := width - 2 - cells.Width(drawn.String())
	return drawn.String() + t.styles.Rule.Render(" "+strings.Repeat("─", max(rest, 0)))
}

// ruledWords are words of a rule, with the line before them if they begin with it.
func (t Table) ruledWords(words string) string {
	if rest, ok := strings.CutPrefix(words, " ─ "); ok {
		return t.styles.Rule.Render(" ─ ") + t.styles.Head.Render(rest)
	}
	return t.styles.Head.Render(words)
}

// Row draws one fix, without its gutter's cursor.
func (t Table) Row(f *report.Fix) string {
	mark := t.styles.Bad.Render("✗")
	switch {
	case f.Works():
		mark = t.styles.OK.Render("✓")
	case f.Advises():
		mark = t.styles.Warn.Render("!")
	case f.May(), f.Unevaluated():
		mark = t.styles.Warn.Render("?")
	}
	row := t.byHand(f) + mark + " " + cells.Left(t.title(f), t.Title) + " " + cells.Right(f.Gains(), t.adds)
	if t.places > 0 {
		row += "  " + cells.Right(t.placed(f), t.places)
	}
	if t.Affects > 0 {
		row += "  " + cells.Cut(t.Outcome(f), t.Affects)
	}
	return row
}

// What stands before a fix that somebody has to make, and what it means.
const (
	byCommand = "$"
	byHand    = "·"
	// Legend says what the two mean.
	Legend = byCommand + " by its command, " + byHand + " by hand"
)

// byHand is the gutter of a fix: a sign in it says that fathom does not carry the fix out itself, where
// that may help.
func (t Table) byHand(f *report.Fix) string {
	switch {
	case !needsHands(f):
		return cells.Blank(table.Gutter)
	case f.Command == "":
		return " " + t.styles.Dim.Render(byHand) + " "
	}
	return " " + t.styles.Dim.Render(byCommand) + " "
}

// needsHands reports whether a fix has such a sign.
func needsHands(f *report.Fix) bool {
	return !planned(f) && (f.Works() || f.May() || f.Unevaluated() || f.Advises())
}

// Outcome is whom a fix affects, by name where there is room for that, or what
// it leaves in the way.
func (t Table) Outcome(f *report.Fix) string {
	if f.Verified && len(f.Affects) == 1 && t.wide {
		how, _, _ := strings.Cut(f.Affects[0].How, ": ")
		named := t.brief(f.Affects[0].Title() + " " + how)
		if cells.Width(named) <= t.Affects {
			return named
		}
	}
	return t.brief(f.Outcome())
}

// CutText is the text of a row that has no room for all of it, and that room.
func (t Table) CutText(f *report.Fix) (text string, room int) {
	if title := t.brief(f.ShortTitle()); cells.Width(title) > t.Title {
		return title, t.Title
	}
	return t.Outcome(f), max(t.Affects, fixOthersFew)
}
