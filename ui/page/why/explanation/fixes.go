package explanation

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
)

// fixPart is what the page says of fixes before it is cut to size.
type fixPart struct {
	head string   // "" where there is no such part
	said []string // the words of the head below it, where they are too long for it
	rows int      // that there are, or that are kept free until there are
	more bool     // there are fixes beside these, which a row counts
}

// mostFixes is how many fixes Why shows: f shows all.
const mostFixes = 8

// least is how many rows the part should have at least, its head and the row that counts
// the rest included.
func (f fixPart) least() int {
	switch {
	case f.head == "":
		return 0
	case f.rows > fewFixes:
		return 1 + fewFixes + 1
	}
	return 1 + f.rows
}

// most is how many rows it could use.
func (f fixPart) most() int {
	switch {
	case f.head == "":
		return 0
	case f.more:
		return 1 + f.rows + 1
	}
	return 1 + f.rows
}

// fixContent is what there is to say of fixes. While the first ones are being
// simulated their place is kept.
func (p *Drawing) fixContent() fixPart {
	switch {
	case p.Gone, !report.IsFixable(p.Report):
		return fixPart{}
	case p.Unfixed != nil:
		return saidOfFixes(p, "not available: "+model.Clean(p.Unfixed.Error()))
	case p.Fixes == nil:
		return fixPart{head: "FIXES: simulating", rows: fewFixes + 1}
	case p.Fixes.Left > 0: // as many rows as before the first
		return fixPart{head: "FIXES: simulating, " + p.Fixes.Progress(), rows: max(p.fixRows(), fewFixes+1)}
	case len(p.Fixes.Tried) == 0:
		return saidOfFixes(p, p.Brief(p.Fixes.Sentence()))
	}
	return fixPart{head: p.Fixes.HeadWord() + ": " + p.Fixes.Counts(), rows: p.fixRows(), more: moreFixes(p)}
}

// saidOfFixes is a sentence in place of fixes: in the head, if there is room for it.
func saidOfFixes(p *Drawing, sentence string) fixPart {
	const around = 6 // cells of the rule
	part := fixPart{head: "FIXES: " + sentence}
	if cells.Width(part.head)+around > p.Width {
		part.said = cells.Indent(3, cells.Wrap(sentence, p.Width-4))
		part.rows = len(part.said)
	}
	return part
}

// fixRows is how many fixes the page has rows for, in view or not.
func (p *Drawing) fixRows() int {
	if p.Gone || !report.IsFixable(p.Report) || p.Fixes == nil || p.Unfixed != nil {
		return 0
	}
	return min(len(p.Fixes.Tried), mostFixes)
}

// moreFixes reports whether there are fixes that have no row on the page.
func moreFixes(p *Drawing) bool { return p.fixRows() > 0 && len(p.Fixes.Tried) > p.fixRows() }

// ChosenFix is the fix that the cursor is on.
func (p *Drawing) ChosenFix() (*report.Fix, bool) {
	if p.Cursor.Part != PartFixes || p.Cursor.Row >= p.fixRows() {
		return nil, false
	}
	return &p.Fixes.Tried[p.Cursor.Row], true
}

func (p *Drawing) fixTable() fixes.Table {
	return fixes.NewTable(p.Fixes.Tried[:p.fixRows()], p.Width, p.Domain, p.Styles)
}

// fixLines draws the fixes that are in view.
func (b body) fixLines() []Line {
	p, c, r := b.page, b.content, b.room
	if r.fixes == 0 {
		return nil
	}
	if p.fixRows() == 0 {
		if len(c.fixes.said) > 0 && r.fixes > 1 {
			return plainLines(append([]string{ruled(p.Styles, "FIXES", p.Width)}, cells.First(c.fixes.said, r.fixes-1, p.Width)...)...)
		}
		lines := plainLines(ruled(p.Styles, c.fixes.head, p.Width))
		return append(lines, blankLines(r.fixes-1)...)
	}
	t := p.fixTable()
	head := c.fixes.head
	lines := plainLines(t.Ruled([]string{head, strings.Replace(head, report.FixesHead, report.FixesWord, 1)}, p.Width))
	from, to := p.Window(PartFixes, p.fixRows(), r.fixes-1)
	for i := from; i < to; i++ {
		lines = append(lines, Line{t.Row(&p.Fixes.Tried[i]), Cursor{PartFixes, i}})
	}
	if rest := len(p.Fixes.Tried) - to; rest > 0 && to-from < r.fixes-1 {
		lines = append(lines, plainLines(p.Styles.Dim.Render(fmt.Sprintf("   %d more ↓", rest)))...)
	}
	if p.Fixes.Left > 0 {
		lines = append(lines, blankLines(r.fixes-len(lines))...)
	}
	return lines
}
