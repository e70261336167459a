package session

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// standstill is a lesson that stays in one state.
type standstill struct{ state lesson.State }

func (s standstill) State() lesson.State                { return s.state }
func (s standstill) Changed(context.Context, int) error { return context.Canceled }
func (s standstill) Answer(int)                         {}
func (s standstill) Skip()                              {}
func (s standstill) Hint()                              {}
func (s standstill) Next(context.Context) error         { return nil }

// empty is a cluster that shows nothing but a lesson.
type empty struct {
	ui.Cluster
	lesson lesson.Lesson
}

func (e empty) Lesson() lesson.Lesson { return e.lesson }
func (e empty) Actor() ui.Actor       { return nil }
func (e empty) ShowUsage(bool)        {}

// moment is a state that a lesson comes to, and all that its panel has to tell then.
type moment struct {
	says  string
	state lessons.State
	texts []string
}

// momentsOf are the states that a lesson comes to, step by step.
func momentsOf(lesson *lessons.Lesson) (all []moment) {
	for i := range lesson.Steps {
		step := &lesson.Steps[i]
		at := lessons.State{Lesson: lesson, Step: i, Now: "3 of 7"}
		add := func(says string, change func(*lessons.State), texts ...string) {
			state := at
			if change != nil {
				change(&state)
			}
			all = append(all, moment{fmt.Sprintf("step %d %s", i+1, says), state, append(texts, step.Say)})
		}
		hints := lesson.HintsOf(i)
		hinted := func(s *lessons.State) { s.Hints = len(hints) }
		if p := step.Predict; p != nil {
			add("open", nil, append(slices.Clone(p.Answers), p.Question, "paused until you answer")...)
			for n := range p.Answers {
				add(fmt.Sprintf("answered %d", n+1), func(s *lessons.State) { s.Answered, s.Ready = n+1, true },
					append(slices.Clone(p.Answers), p.Question, p.Because, lesson.Goal.Says)...)
			}
			hinted = func(s *lessons.State) { s.Hints, s.Answered = len(hints), 1 }
		}
		add("with every hint", hinted, append(slices.Clone(hints), lesson.Goal.Says)...)
	}
	last := lessons.State{Lesson: lesson, Step: len(lesson.Steps) - 1, Reached: true, Asked: 3, Right: 2}
	all = append(all, moment{"reached", last, []string{lesson.Goal.Says, lesson.Learned, lesson.Link, "2 of 3 predictions were correct"}})
	if lesson.Failed != nil {
		all = append(all, moment{"failed", lessons.State{Lesson: lesson, Failed: true}, []string{lesson.Failed.Says}})
	}
	return all
}

// panelOf are the lines of a lesson's panel on a screen, below its head.
func panelOf(t *testing.T, screen string) []string {
	t.Helper()
	rows := strings.Split(ansi.Strip(screen), "\n")
	head := slices.IndexFunc(rows, func(row string) bool {
		return panelHead.MatchString(row)
	})
	if head < 0 {
		t.Fatalf("no panel:\n%s", strings.Join(rows, "\n"))
	}
	lines := slices.Clone(rows[head+1 : len(rows)-2])
	if _, _, beside := strings.Cut(rows[head], "│"); beside {
		for i, line := range lines {
			_, lines[i], _ = strings.Cut(line, "│")
		}
	}
	return lines
}

// panelHead is what the first row of the panel begins with: the number of the lesson, which is shorter
// where the title needs the room.
var panelHead = regexp.MustCompile(` ── (Lesso|\d+/\d+: )`)

// abovePanel is a screen as far as the panel.
func abovePanel(screen string) string {
	if at := panelHead.FindStringIndex(screen); at != nil {
		return screen[:at[0]]
	}
	return screen
}

// readThrough are the lines of the panel from its first to its last, as one finds
// them who scrolls. What is not in view is marked.
func readThrough(t *testing.T, app *ui.App) string {
	t.Helper()
	app.Update(tea.KeyPressMsg{Code: 'g', Text: "g"})
	text := ""
	for range 60 {
		lines := panelOf(t, app.View().Content)
		last := lines[len(lines)-1]
		if !strings.Contains(last, "j k to scroll") {
			return text + strings.Join(lines, "") // all of it is in view
		}
		if !strings.Contains(last, "more line") {
			return text + strings.Join(lines[:len(lines)-1], "")
		}
		text += lines[0]
		app.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
	}
	t.Fatal("the panel has no end")
	return ""
}

func TestEveryAnswerAndTheWholeTextOfEveryLessonCanBeReadInThePanel(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	bare := func(text string) string { return strings.ReplaceAll(strings.Join(strings.Fields(text), ""), "`", "") }
	for i, lesson := range all {
		for _, size := range [][2]int{{80, 24}, {80, 20}, {120, 40}, {60, 15}} {
			t.Run(fmt.Sprintf("%s %dx%d", lesson.Name, size[0], size[1]), func(t *testing.T) {
				begin := func(state *lessons.State) *ui.App {
					shown := (&taking{number: i + 1, of: len(all)}).shown(state)
					app := ui.New(ui.Options{Cluster: empty{lesson: standstill{shown}}, Context: lesson.Name, Demo: true})
					app.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					return app
				}
				app := begin(&lessons.State{Lesson: lesson})
				if text := bare(readThrough(t, app)); !strings.Contains(text, bare(lesson.Story)) || !strings.HasSuffix(text, "entertocontinue") {
					t.Errorf("the story is not there whole: %s", text)
				}
				for _, m := range momentsOf(lesson) {
					app := begin(&m.state)
					app.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
					text := bare(readThrough(t, app))
					for _, want := range m.texts {
						if !strings.Contains(text, bare(want)) {
							t.Errorf("%s: %q cannot be read in the panel:\n%s", m.says, want, ansi.Strip(app.View().Content))
						}
					}
				}
			})
		}
	}
}
