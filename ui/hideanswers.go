package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/messages"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodefit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodemap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/rejectiongroup"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/trace"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// explanatory reports whether a page shows results of the scheduler's plugins or of a
// simulation. It is hidden while a prediction of a lesson is open, because it would
// reveal the answer.
func explanatory(v page.View) bool {
	switch v := v.(type) {
	case *nodemap.Page:
		return v.Explains()
	case *why.Page, *rejectiongroup.Page, *fixes.Page, *preemption.Page, *fit.Page, *trace.Page, *messages.Page, *nodefit.Page, *nodes.Named:
		return true
	}
	return false
}

// hides says whether a page is hidden until the lesson's prediction is answered.
func (a *App) hides(v page.View) bool {
	return explanatory(v) && a.lesson.Hides()
}

// hideAnswers hides explanations, or shows them again, as the lesson is now.
func (l *lessons) hideAnswers() tea.Cmd {
	hidden := l.app.lesson.Hides()
	if hidden == l.app.verdicts.Hidden {
		return nil
	}
	l.app.verdicts.Hidden = hidden
	return l.app.history.show()
}

// hiddenLines are the body of a page that is hidden.
func (d *layout) hiddenLines() []string {
	s, n := d.app.styles(), len(d.app.lesson.State.Answers)
	keys := d.app.lesson.ToDo("1–" + strconv.Itoa(n) + " answers, s skips the question")
	return []string{
		"", s.Text.Render(cells.Blank(table.Gutter) + "This page would reveal the answer to the lesson's question."),
		s.Text.Render(cells.Blank(table.Gutter) + keys + "."),
	}
}

// answerOf is row 2 of a page.
func (d *layout) answerOf(v page.View, width int) string {
	if d.app.hides(v) {
		return "H" + page.HiddenWords[1:] + "."
	}
	return v.Answer(width)
}

// hiddenKeys are the footer of a page that is hidden.
func hiddenKeys() []page.Key {
	return append(page.Keys(keymap.Lesson), page.Key{Do: keymap.Pending, Label: "1–9", Word: "views"}, page.Key{Do: keymap.Close}, page.Key{Do: keymap.Palette})
}
