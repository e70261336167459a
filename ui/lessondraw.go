package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Where the lesson's panel stands, and its size.
const (
	lessonBeside = 120 // from so many columns on it stands at the right
	lessonWidth  = 44
	lessonRows   = 6 // below the page, of 24 rows
	lessonMost   = 12
)

// lessonBelow is how many rows the panel takes from the page's foot.
func (a *App) lessonBelow() int {
	if a.lesson.taken == nil || a.width >= lessonBeside {
		return 0
	}
	if a.Large {
		return min((a.height-frameRows)/2, lessonMost)
	}
	return min(max(lessonRows, (a.height-frameRows)/3), lessonMost)
}

// lessonRight is how many columns it takes from the page's right.
func (a *App) lessonRight() int {
	if a.lesson.taken == nil || a.width < lessonBeside {
		return 0
	}
	return lessonWidth + 1
}

// withLesson lays the panel under the page's rows, or beside them.
func (a *App) withLesson(rows []string, height int) []string {
	if below := a.lessonBelow(); below > 0 {
		return append(rows, a.lessonLines(a.width, below)...)
	}
	if a.lessonRight() == 0 {
		return rows
	}
	width := a.width - a.lessonRight()
	panel := a.lessonLines(lessonWidth, height)
	for i := range rows {
		rows[i] += blank(width-ansi.StringWidth(rows[i])) + a.styles().Rule.Render("│") + panel[i]
	}
	return rows
}

// lessonSize is the panel's, the head counted.
func (a *App) lessonSize() (width, height int) {
	if below := a.lessonBelow(); below > 0 {
		return a.width, below
	}
	return lessonWidth, a.bodyHeight()
}

// scrollLesson moves the panel's text by n lines, as far as there are some.
func (a *App) scrollLesson(n int) {
	width, height := a.lessonSize()
	text := a.lesson.text(width-1, height-1)
	a.lesson.top = max(0, min(a.lesson.top+n, len(text)-(height-1)))
}

// lessonLines draw the panel.
func (a *App) lessonLines(width, height int) []string {
	s, p := a.styles(), &a.lesson
	lines := make([]string, height)
	lines[0] = s.Rule.Render(ruled(p.head(width-6), width))
	text := p.text(width-1, height-1)
	for i, line := range text[min(p.top, len(text)):] {
		if i+1 == height {
			break
		}
		lines[i+1] = s.Text.Render(" " + cut(line, width-1))
	}
	return lines
}

// ruled is a heading in a rule as wide as the panel.
func ruled(words string, width int) string {
	row := " ── " + cut(words, width-6) + " "
	return row + strings.Repeat("─", max(0, width-cells(row)))
}

// head names the lesson, how far it is, and the key; its title gives way first.
func (p *lessonPanel) head(width int) string {
	s := p.state
	name := "Lesson: " + s.Title
	if s.Number > 0 {
		name = fmt.Sprintf("Lesson %d of %d: %s", s.Number, s.Of, s.Title)
	}
	key := "L enters the panel"
	if p.entered {
		key = "esc leaves it"
	}
	led := ""
	if s.Led {
		led = ", led"
	}
	far := fmt.Sprintf(" ── %d of %d%s ── %s", s.Step, s.Steps, led, key)
	return cut(model.Clean(name), width-cells(far)) + far
}

// text is what the panel says. Where there is too little room what has been read
// goes first: the step's text, then the question.
func (p *lessonPanel) text(width, room int) []string {
	s := p.state
	switch {
	case !p.begun:
		return append(paragraph(s.Story, width), "", "enter goes on")
	case s.Reached:
		return p.reached(width)
	case s.Spoilt != "":
		return append(paragraph("✗ "+s.Spoilt, width), paragraph("Begin it again to try once more: i, then reset.", width)...)
	}
	if s.Heading > 0 {
		way := fmt.Sprintf("On the way to step %d: step %d is taken for you.", s.Heading, s.Step)
		return append(append(paragraph(way, width), paragraph(s.Say, width)...), p.trouble(width)...)
	}
	said := p.said(width)
	asked, answered := p.question(width), p.verdict(width)
	end := append(p.hints(width), p.status(width)...)
	for _, parts := range [][][]string{{said, asked, answered, end}, {asked, answered, end}, {answered, end}} {
		if lines := apart(parts); p.large && len(lines) <= room {
			return lines
		}
		if lines := oneAfterOther(parts); len(lines) <= room || s.Answered == 0 {
			return lines
		}
	}
	return oneAfterOther([][]string{answered, end})
}

// reached is the end of the lesson.
func (p *lessonPanel) reached(width int) []string {
	s := p.state
	words := fmt.Sprintf("✓ Reached: %s.", s.Goal)
	if s.AskedSoFar > 0 {
		words += fmt.Sprintf(" %d of %d predictions were right.", s.RightSoFar, s.AskedSoFar)
	}
	if s.Led {
		words += " A trainer had a hand in it: not counted as passed."
	}
	return oneAfterOther([][]string{paragraph(words, width), paragraph(s.Learned, width), paragraph(s.Link, width)})
}

// said is the step's text, and what happened without the student.
func (p *lessonPanel) said(width int) []string {
	said := paragraph(p.state.Say, width)
	for _, step := range p.state.Short {
		said = append(said, paragraph(fmt.Sprintf("! Step %d did not come to its end: what it asks for is not done.", step), width)...)
	}
	for _, fault := range p.state.Faults {
		said = append(said, paragraph("! "+fault, width)...)
	}
	return said
}

func oneAfterOther(parts [][]string) (lines []string) {
	for _, part := range parts {
		lines = append(lines, part...)
	}
	return lines
}

// apart is oneAfterOther with a blank line between.
func apart(parts [][]string) (lines []string) {
	for _, part := range parts {
		if len(lines) > 0 && len(part) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// paragraph is a text of a lesson in lines.
func paragraph(text string, width int) []string {
	return wrapped(model.Clean(strings.Join(strings.Fields(text), " ")), width)
}

// question is the step's prediction with its answers, in one line if they fit.
func (p *lessonPanel) question(width int) []string {
	s := p.state
	if s.Question == "" {
		return nil
	}
	lines := paragraph("Predict: "+s.Question, width)
	numbered := make([]string, len(s.Answers))
	for i, answer := range s.Answers {
		numbered[i] = strconv.Itoa(i+1) + " " + model.Clean(answer)
	}
	if row := "  " + strings.Join(numbered, "    "); cells(row) <= width && !p.large {
		return append(lines, row)
	}
	for _, answer := range numbered {
		lines = append(lines, indented(2, wrapped(answer, width-2))...)
	}
	return lines
}

// verdict says whether the prediction was right, once the cluster shows it where
// it can.
func (p *lessonPanel) verdict(width int) []string {
	s := p.state
	switch {
	case s.Answered == 0:
		return nil
	case s.Foretold && !s.Ready:
		return paragraph(fmt.Sprintf("You said %d. The scheduler goes on: see what comes of it.", s.Answered), width)
	case s.Answered == s.Right && s.Foretold:
		return paragraph(fmt.Sprintf("You said %d, and so it is: %s", s.Answered, s.Because), width)
	case s.Answered == s.Right:
		return paragraph(fmt.Sprintf("You said %d, which is right: %s", s.Answered, s.Because), width)
	}
	return paragraph(fmt.Sprintf("You said %d; it is %d: %s", s.Answered, s.Right, s.Because), width)
}

// trouble tells why the lesson cannot be judged; none while it can.
func (p *lessonPanel) trouble(width int) []string {
	if p.state.Trouble == "" {
		return nil
	}
	return paragraph("! "+p.state.Trouble, width)
}

// hints are the newest one that was given.
func (p *lessonPanel) hints(width int) []string {
	if n := len(p.state.Hints); n > 0 {
		return paragraph("Hint: "+p.state.Hints[n-1], width)
	}
	return nil
}

// status is the goal, how far it is, and what may be pressed.
func (p *lessonPanel) status(width int) []string {
	s := p.state
	words := "Goal: " + s.Goal + "."
	if s.Now != "" {
		words += " Now " + s.Now + "."
	}
	keys := ""
	switch {
	case s.Question != "" && s.Answered == 0:
		words, keys = "The scheduler is held until you answer.", "1–"+strconv.Itoa(len(s.Answers))+" answers"
	case s.Step < s.Steps && s.Ready:
		keys = "enter goes on"
	case s.Step < s.Steps && s.HintsLeft > 0: // the step may want an action
		keys = fmt.Sprintf("wait, or h hint (%d left)", s.HintsLeft)
	case s.Step < s.Steps:
		keys = "wait"
	case s.HintsLeft > 0:
		keys = fmt.Sprintf("h hint (%d left)", s.HintsLeft)
	}
	if s.Trouble != "" {
		words += " ! " + s.Trouble
	}
	lines := paragraph(words, width)
	last := &lines[len(lines)-1]
	if gap := width - cells(*last) - cells(keys); gap >= 2 {
		*last += blank(gap) + keys
	} else if keys != "" {
		lines = append(lines, keys)
	}
	return lines
}
