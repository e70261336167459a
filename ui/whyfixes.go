package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// fix asks which fixes work, once the explanation is there: they never delay it.
func (w *why) fix() tea.Cmd {
	if w.trouble != nil || w.draw.gone || !w.draw.fixable() {
		return nil
	}
	return w.tries.ask(w.app, w, w.uid())
}

// onFixed shows an answer. A fix that is selected stays so, by its title.
func (w *why) onFixed(msg fixedMsg) tea.Cmd {
	chosen, ok := w.draw.chosenFix()
	title := ""
	if ok {
		title = chosen.Title
	}
	rest, fresh := w.tries.take(w.app, w, msg)
	if fresh {
		if ok {
			w.draw.cursor.row = w.tries.indexOf(title, w.draw.cursor.row)
		}
		w.arrange()
	}
	return rest
}

// openFixes shows all fixes, that one selected.
func (w *why) openFixes(chosen int) tea.Cmd {
	return w.app.open(newFixes(w.app, w.pod, w.tries, chosen))
}

// fixable says whether the verdict leaves anything to fix.
func (p *whyPage) fixable() bool {
	if p.report == nil {
		return false
	}
	switch p.report.Verdict {
	case report.Unschedulable, report.Gated, report.NotCreated:
		return true
	}
	return false
}

// whyFixes is what the page says of fixes before it is cut to size.
type whyFixes struct {
	head string // "" where there is no such part
	rows int    // that there are, or that are kept free until there are
}

// whyMostFixes is how many fixes Why shows: f shows all.
const whyMostFixes = 8

// least is how many rows the part should have at least, its head counted.
func (f whyFixes) least() int {
	if f.head == "" {
		return 0
	}
	return 1 + min(f.rows, whyFewFixes)
}

// most is how many rows it could use.
func (f whyFixes) most() int {
	if f.head == "" {
		return 0
	}
	return 1 + f.rows
}

// fixContent is what there is to say of fixes. While the first ones are being
// tried their place is kept.
func (p *whyPage) fixContent() whyFixes {
	switch {
	case !p.fixable():
		return whyFixes{}
	case p.unfixed != nil:
		return whyFixes{head: " FIXES: no answer: " + model.Clean(p.unfixed.Error())}
	case p.fixes == nil:
		return whyFixes{head: " FIXES, being tried on a copy", rows: whyFewFixes}
	case len(p.fixes.Tried) == 0:
		return whyFixes{head: " FIXES: " + p.brief(p.fixes.Sentence())}
	}
	return whyFixes{head: " FIXES, tried on a copy: " + fixCounts(p.fixes) + " (f)", rows: p.fixRows()}
}

// fixCounts counts the fixes that work, and those that do not.
func fixCounts(f *report.Fixes) string {
	work, tried := f.Work(), len(f.Tried)
	text := count(work, "works", "work")
	switch {
	case work == 0:
		text = count(tried, "does not work", "do not work")
	case tried > work:
		text += ", " + count(tried-work, "does not", "do not")
	}
	return text
}

// fixRows is how many fixes the page has rows for, in view or not.
func (p *whyPage) fixRows() int {
	if !p.fixable() || p.fixes == nil || p.unfixed != nil {
		return 0
	}
	return min(len(p.fixes.Tried), whyMostFixes)
}

// chosenFix is the fix that the cursor is on.
func (p *whyPage) chosenFix() (*report.Fix, bool) {
	if p.cursor.part != partFixes || p.cursor.row >= p.fixRows() {
		return nil, false
	}
	return &p.fixes.Tried[p.cursor.row], true
}

func (p *whyPage) fixTable() fixTable {
	return newFixTable(p.fixes.Tried[:p.fixRows()], p.width, p.domain, p.styles)
}

// fixLines draws the fixes that are in view.
func (p *whyPage) fixLines(c whyContent, r whyRoom) []whyLine {
	if r.fixes == 0 {
		return nil
	}
	if p.fixRows() == 0 {
		lines := plainLines(p.styles.Head.Render(c.fixes.head))
		return append(lines, blankLines(r.fixes-1)...)
	}
	t := p.fixTable()
	lines := plainLines(t.head(c.fixes.head))
	from, to := p.window(partFixes, p.fixRows(), r.fixes-1)
	for i := from; i < to; i++ {
		lines = append(lines, whyLine{t.row(&p.fixes.Tried[i]), whyCursor{partFixes, i}})
	}
	return lines
}
