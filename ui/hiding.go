package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// explaining is a page that shows what the scheduler's plugins answer, or what a
// simulation says. While a prediction of a lesson is open it is hidden: it would
// give the answer away.
type explaining interface{ explanatory() }

func (*whyView) explanatory()    {}
func (*groupPage) explanatory()  {}
func (*fixes) explanatory()      {}
func (*preemption) explanatory() {}
func (*trace) explanatory()      {}
func (*words) explanatory()      {}
func (*notHere) explanatory()    {}
func (*nodesOf) explanatory()    {}

// hiddenWords stand where an explanation would.
const hiddenWords = "hidden until you answer"

// hides says whether explanations are hidden: a prediction waits for its answer.
func (p *lessonPanel) hides() bool {
	s := &p.state
	return p.taken != nil && s.open() && s.Heading == 0 && !s.Reached && s.Spoilt == ""
}

// hides says whether a page is hidden until the lesson's prediction is answered.
func (a *App) hides(v view) bool {
	_, explanatory := v.(explaining)
	return explanatory && a.lesson.hides()
}

// hideAnswers hides explanations, or shows them again, as the lesson is now.
func (l *lessons) hideAnswers() tea.Cmd {
	hidden := l.app.lesson.hides()
	if hidden == l.app.verdicts.hidden {
		return nil
	}
	l.app.verdicts.hidden = hidden
	return l.app.history.show()
}

// hiddenLines are the body of a page that is hidden.
func (d *layout) hiddenLines() []string {
	s, n := d.app.styles(), len(d.app.lesson.state.Answers)
	keys := d.app.lesson.toDo("1–" + strconv.Itoa(n) + " answers, s skips the question")
	return []string{
		"", s.Text.Render(cells.Blank(table.Gutter) + "This page would give the answer of the lesson's prediction away."),
		s.Text.Render(cells.Blank(table.Gutter) + keys + "."),
	}
}

// answerOf is row 2 of a page.
func (d *layout) answerOf(v view, width int) string {
	if d.app.hides(v) {
		return "H" + hiddenWords[1:] + "."
	}
	return v.answer(width)
}

// hiddenKeys are the footer of a page that is hidden.
func hiddenKeys() []footKey {
	return append(keys(keymap.Lesson), footKey{do: keymap.Pending, label: "1–3", word: "views"}, footKey{do: keymap.Close}, footKey{do: keymap.Palette})
}
