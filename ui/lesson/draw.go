package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Position and size of the lesson panel.
const (
	besideFrom = 120 // from this width it is at the right
	panelWidth = 44
	mostRows   = 12 // rows below the page

	// Rows is how many it has below the page, of 24 rows.
	Rows = 6
)

// Below is the number of rows of the panel below the page, of the body rows that both
// have: as many as its text needs, if the page keeps half of them.
func (p *Panel) Below(width, body int) int {
	if p.Taken == nil || width >= besideFrom {
		return 0
	}
	most := min(max(Rows, body/2), mostRows)
	if p.Large {
		return min(body/2, mostRows)
	}
	return min(max(Rows, body/3, p.needs+1), most)
}

// Right is the number of columns of the panel at the right of the page.
func (p *Panel) Right(width int) int {
	if p.Taken == nil || width < besideFrom {
		return 0
	}
	return panelWidth + 1
}

// Beside adds the panel below the rows of the page, or at their right.
func (p *Panel) Beside(rows []string, s *themes.Styles, screen, body int) []string {
	if below := p.Below(screen, body); below > 0 {
		return append(rows, p.lines(s, screen, below)...)
	}
	if p.Right(screen) == 0 {
		return rows
	}
	width := screen - p.Right(screen)
	panel := p.lines(s, panelWidth, len(rows))
	for i := range rows {
		rows[i] += cells.Blank(width-ansi.StringWidth(rows[i])) + s.Rule.Render("│") + panel[i]
	}
	return rows
}

// size is the size of the panel with its head.
func (p *Panel) size(screen, body int) (width, height int) {
	if below := p.Below(screen, body); below > 0 {
		return screen, below
	}
	return panelWidth, max(body, 1)
}

// Show resizes the panel for its text and scrolls to what is new.
func (p *Panel) Show(screen, body int) {
	if p.Taken == nil {
		return
	}
	left := *p
	left.Entered = false // the text is longest then: the panel keeps its size when it is entered
	width, _ := p.size(screen, body)
	text, _ := left.text(width-1, 0)
	p.needs = len(text)
	_, height := p.size(screen, body)
	text, fresh := p.text(width-1, height-1)
	p.top = clampTop(fresh, len(text), windowOf(len(text), height))
}

// windowOf is the number of lines that a panel shows of a text. If not all fit, the
// last row says how many more there are.
func windowOf(lines, height int) int {
	if lines <= height-1 {
		return height - 1
	}
	return height - 2
}

// clampTop limits the first line to show, so that the window is full.
func clampTop(top, lines, window int) int { return max(0, min(top, lines-window)) }

// Scroll scrolls the text by n lines, within its bounds.
func (p *Panel) Scroll(n, screen, body int) {
	width, height := p.size(screen, body)
	text, _ := p.text(width-1, height-1)
	p.top = clampTop(p.top+n, len(text), windowOf(len(text), height))
}

// lines draw the panel.
func (p *Panel) lines(s *themes.Styles, width, height int) []string {
	lines := make([]string, height)
	lines[0] = s.Rule.Render(ruled(p.head(width-6), width))
	text, _ := p.text(width-1, height-1)
	window := windowOf(len(text), height)
	top := clampTop(p.top, len(text), window)
	below := max(len(text)-top-window, 0)
	for i, line := range text[top : len(text)-below] {
		lines[i+1] = drawProse(" "+cells.Cut(line, width-1), s.Text, s.Strong)
	}
	if top+below > 0 {
		lines[height-1] = s.Key.Render(" " + cells.Cut(p.more(top, below), width-1))
	}
	return lines
}

// more says how many lines are above and below the window, and the keys to scroll.
func (p *Panel) more(above, below int) string {
	var parts []string
	if below > 0 {
		parts = append(parts, "↓ "+figures.Count(below, "more line", "more lines"))
	}
	if above > 0 {
		parts = append(parts, "↑ "+figures.Count(above, "line", "lines")+" above")
	}
	return strings.Join(append(parts, p.ToDo("j k to scroll")), "   ")
}

// ruled is a heading in a rule of the width of the panel.
func ruled(words string, width int) string {
	row := " ── " + cells.Cut(words, width-6) + " "
	return row + strings.Repeat("─", max(0, width-cells.Width(row)))
}

// head is the title of the lesson, the step and the key of the panel. Where that is too long the key is
// left out that the last row names too, then the number is shorter, then the title is cut.
func (p *Panel) head(width int) string {
	s := p.State
	name := "Lesson: " + s.Title
	if s.Number > 0 {
		name = fmt.Sprintf("Lesson %d of %d: %s", s.Number, s.Of, s.Title)
	}
	key := "L panel"
	if p.Entered {
		key = "esc dashboard"
	}
	led := ""
	if s.Led {
		led = ", with help"
	}
	far := fmt.Sprintf(" ── step %d of %d%s", s.Step, s.Steps, led)
	if keyed := far + " ── " + key; !p.Entered || cells.Width(name+keyed) <= width {
		far = keyed
	}
	if s.Number > 0 && cells.Width(name+far) > width {
		name = fmt.Sprintf("%d/%d: %s", s.Number, s.Of, s.Title)
	}
	return cells.Cut(model.Clean(name), width-cells.Width(far)) + far
}

// text is the text of the panel and its first new line. If it is large, its parts are
// separated by blank lines, if they fit.
func (p *Panel) text(width, room int) (lines []string, fresh int) {
	s := p.State
	switch {
	case !p.Begun:
		return append(paragraph(s.Story, width), "", p.ToDo("enter to continue")), 0
	case s.Reached:
		return p.reached(width), 0
	case s.Failed != "":
		return append(paragraph("✗ "+s.Failed+" The goal no longer counts in this attempt.", width), paragraph(p.ToDo("r to start the lesson again, l to list all lessons."), width)...), 0
	}
	if s.GoingTo > 0 {
		way := fmt.Sprintf("Going to step %d. Step %d is done for you:", s.GoingTo, s.Step)
		return append(append(paragraph(way, width), paragraph(s.Say, width)...), p.trouble(width)...), 0
	}
	read := [][]string{p.said(width), p.question(width)}
	hints := p.hints(width)
	if len(hints) == 0 {
		return p.joined(read, [][]string{p.verdict(width), p.status(width)}, room)
	}
	return p.joined(append(read, p.verdict(width)), [][]string{hints, p.status(width)}, room)
}

// joined are the parts of a text, and the first line of the recent ones; 0 while the
// question is open.
func (p *Panel) joined(read, recent [][]string, room int) (lines []string, fresh int) {
	join := oneAfterOther
	if p.Large && len(apart(slices.Concat(read, recent))) <= room {
		join = apart
	}
	if lines = join(slices.Concat(read, recent)); p.State.Answered != 0 || len(p.State.Hints) > 0 {
		fresh = len(join(read))
	}
	return lines, fresh
}

// reached is the end of the lesson.
func (p *Panel) reached(width int) []string {
	s := p.State
	words := fmt.Sprintf("✓ Goal reached: %s.", s.Goal)
	if s.AskedSoFar > 0 {
		words += fmt.Sprintf(" %d of %d predictions were correct.", s.RightSoFar, s.AskedSoFar)
	}
	if s.Led {
		words += " An instructor helped, so it does not count as passed."
	}
	return oneAfterOther([][]string{paragraph(words, width), paragraph(p.whatNext(), width), paragraph(s.Learned, width), paragraph(s.Link, width)})
}

// whatNext says what to do after the lesson.
func (p *Panel) whatNext() string {
	const others = "r to start this one again, l to list all lessons, ctrl-c to quit."
	s := p.State
	switch {
	case s.Next != "":
		return p.ToDo(fmt.Sprintf("n to start lesson %d of %d: %s; %s", s.Number+1, s.Of, s.NextTitle, others))
	case s.Number > 0:
		return "This was the last lesson. " + p.ToDo(others)
	}
	return p.ToDo(others)
}

// said is the text of the step and what happened by itself.
func (p *Panel) said(width int) []string {
	said := paragraph(p.State.Say, width)
	for _, step := range p.State.Unfinished {
		said = append(said, paragraph(fmt.Sprintf("! Step %d did not finish: its changes are missing.", step), width)...)
	}
	for _, fault := range p.State.Faults {
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

// apart is oneAfterOther with blank lines between.
func apart(parts [][]string) (lines []string) {
	for _, part := range parts {
		if len(lines) > 0 && len(part) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// paragraph wraps a text of a lesson.
func paragraph(text string, width int) []string {
	return wrapProse(prose(text), width)
}

// question is the prediction of the step with its answers, on one line if they fit.
func (p *Panel) question(width int) []string {
	s := p.State
	if s.Question == "" {
		return nil
	}
	lines := paragraph("Predict: "+s.Question, width)
	numbered := make([]string, len(s.Answers))
	for i, answer := range s.Answers {
		numbered[i] = answerKey(i+1) + " " + prose(answer)
	}
	if row := "  " + strings.Join(numbered, "    "); cells.Width(row) <= width && !p.Large {
		return append(lines, row)
	}
	for _, answer := range numbered {
		lines = append(lines, cells.Indent(2, wrapProse(answer, width-2))...)
	}
	return lines
}

// verdict says whether the answer was correct. If the cluster can show it, it waits
// until the cluster does.
func (p *Panel) verdict(width int) []string {
	s, said := p.State, answerKey(p.State.Answered)
	switch {
	case s.Answered == 0:
		return nil
	case s.Answered < 0:
		return paragraph(fmt.Sprintf("Skipped. The answer is %s %s. %s", answerKey(s.Right), s.Answers[s.Right-1], s.Because), width)
	case s.Foretold && !s.Ready:
		return paragraph("You answered "+said+". The scheduler continues: watch what happens.", width)
	case s.Answered == s.Right:
		return paragraph("✓ "+said+" is correct. "+s.Because, width)
	}
	return paragraph(fmt.Sprintf("✗ %s is wrong. The answer is %s %s. %s", said, answerKey(s.Right), s.Answers[s.Right-1], s.Because), width)
}

// answerKey marks the key of an answer, so that it is not read as a part of it.
func answerKey(n int) string { return "[" + strconv.Itoa(n) + "]" }

// trouble says why the lesson cannot be evaluated; none if it can.
func (p *Panel) trouble(width int) []string {
	if p.State.Trouble == "" {
		return nil
	}
	return paragraph("! "+p.State.Trouble, width)
}

// hints are the hints that were given.
func (p *Panel) hints(width int) (lines []string) {
	for _, hint := range p.State.Hints {
		lines = append(lines, paragraph("Hint: "+hint, width)...)
	}
	return lines
}

// status is the goal, the progress towards it, and the keys.
func (p *Panel) status(width int) []string {
	s := p.State
	words := "Goal: " + s.Goal + "."
	if s.Now != "" {
		words += " Now " + s.Now + "."
	}
	keys := ""
	switch {
	case s.IsOpen():
		words, keys = "The scheduler is paused until you answer.", "1–"+strconv.Itoa(len(s.Answers))+" to answer, s to skip"
	case s.Step < s.Steps && s.Ready:
		keys = "enter to continue"
	case s.HintsLeft > 0:
		keys = fmt.Sprintf("h for a hint (%d left)", s.HintsLeft)
	}
	if s.Step < s.Steps && !s.Ready && !s.IsOpen() {
		words += " This step is not done yet."
	}
	if s.Trouble != "" {
		words += " ! " + s.Trouble
	}
	keys = p.ToDo(keys)
	lines := paragraph(words, width)
	last := &lines[len(lines)-1]
	if gap := width - cells.Width(*last) - cells.Width(keys); gap >= 2 {
		*last += cells.Blank(gap) + keys
	} else if keys != "" {
		lines = append(lines, keys)
	}
	return lines
}

// ToDo is the words of keys of the panel, after the key to the panel if it is not
// entered.
func (p *Panel) ToDo(keys string) string {
	if keys == "" || p.Entered {
		return keys
	}
	return keymap.Of(keymap.Lesson, keymap.Everywhere).Label + ", then " + keys
}

// Footer lists the keys of the panel while it is entered.
func (p *Panel) Footer() []page.Key {
	s := &p.State
	key := func(label, word string) page.Key { return page.Key{Do: keymap.Lesson, Word: word, Label: label} }
	var all []page.Key
	over := s.Reached || s.Failed != ""
	switch {
	case !p.Begun, s.Ready && s.Step < s.Steps && !s.IsOpen() && !over:
		all = append(all, key("enter", "continue"))
	case s.IsOpen() && !over:
		all = append(all, key("1–"+strconv.Itoa(len(s.Answers)), "answer"), key("s", "skip"))
	}
	if s.Reached && s.Next != "" {
		all = append(all, key("n", "next lesson"))
	}
	if over {
		all = append(all, key("r", "again"), key("l", "lessons"))
	}
	if p.Begun && s.HintsLeft > 0 && !over {
		all = append(all, key("h", "hint"))
	}
	return append(all, key("j k", "scroll"), key("esc", "dashboard"), page.Key{Do: keymap.Fault}, page.Key{Do: keymap.Palette})
}
