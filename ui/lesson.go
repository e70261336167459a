package ui

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// lessons handles the keys of a lesson.
type lessons struct{ app *App }

// Lesson is a lesson that is being taken on the embedded cluster.
type Lesson interface {
	// State is its current state.
	State() LessonState
	// Changed waits until the state differs from that of a revision.
	Changed(ctx context.Context, revision int) error
	// Answer answers the open prediction, counted from 1.
	Answer(n int)
	// Skip leaves the open prediction without an answer. It counts as not correct.
	Skip()
	// Hint gives one more hint for the step, if there is one.
	Hint()
	// Next starts the next step, if it may start.
	Next(ctx context.Context) error
}

// LessonState is the state of a lesson at one instant.
type LessonState struct {
	Revision   int // grows with each change
	Number, Of int // of the built-in lessons; 0 for one of a file
	Title      string
	Story      string
	Step       int // counted from 1
	Steps      int
	Say        string // the step's text
	Question   string // of the step's prediction; "" if there is none
	Answers    []string
	Answered   int      // counted from 1; 0 while the question is open, below 0 if it was skipped
	Right      int      // the right answer; 0 while the question is open
	Because    string   // the reason; "" while the question is open
	Foretold   bool     // the cluster will show the right answer: Ready says when it does
	Faults     []string // the effects of faults so far
	Goal       string
	Now        string   // the progress towards the goal
	Hints      []string // given for the step
	HintsLeft  int
	Ready      bool // the next step may start
	Reached    bool
	Failed     string // why it must be reset; "" if it need not
	Learned    string // the explanation at the end; "" before
	Link       string
	Next       string // the name of the next lesson; "" if there is none
	NextTitle  string
	RightSoFar int      // predictions that were correct
	AskedSoFar int      // of how many
	Outline    []string // the text of each step
	GoingTo    int      // the step to go to, counted from 1; 0 is none
	Unfinished []int    // steps before it that did not finish
	Led        bool     // an instructor helped: it does not count as passed
	Trouble    string
}

// open says whether the step's prediction waits for an answer.
func (s *LessonState) open() bool { return s.Question != "" && s.Answered == 0 }

// teacher is a cluster that a lesson is taken on.
type teacher interface{ Lesson() Lesson }

// beginLesson shows the lesson of the opened cluster, if it has one. The panel has the
// keys, because the story is read first.
func (l *lessons) beginLesson() {
	l.app.lesson = lessonPanel{large: l.app.Large}
	t, ok := l.app.Cluster.(teacher)
	if !ok {
		return
	}
	if l.app.lesson.taken = t.Lesson(); l.app.lesson.taken != nil {
		l.app.lesson.state, l.app.lesson.entered = l.app.lesson.taken.State(), true
	}
}

// lessonPanel shows a lesson beside the dashboard.
type lessonPanel struct {
	taken   Lesson // nil if there is none
	state   LessonState
	begun   bool // the story was read
	entered bool // the panel has the keys
	needs   int  // lines of its text when it was last shown
	top     int  // first line shown
	large   bool // with blank lines between its parts, and one answer per line
}

// lessonMsg brings a newer state of the lesson.
type lessonMsg struct {
	of    Lesson
	state LessonState
}

// nextLesson waits, off the event loop, for the lesson to change.
func (l *lessons) nextLesson() tea.Cmd {
	if l.app.lesson.taken == nil {
		return nil
	}
	ctx, lesson, known := l.app.ctx, l.app.lesson.taken, l.app.lesson.state.Revision
	return func() tea.Msg {
		if lesson.Changed(ctx, known) != nil {
			return nil // the dashboard ended
		}
		return lessonMsg{lesson, lesson.State()}
	}
}

// onLesson takes a newer state and scrolls to what is new.
func (l *lessons) onLesson(msg lessonMsg) tea.Cmd {
	if msg.of != l.app.lesson.taken {
		return nil // of a previous cluster
	}
	before := l.app.lesson.state
	l.app.lesson.state = msg.state
	if before.Step != msg.state.Step || before.Answered != msg.state.Answered || before.Ready != msg.state.Ready || len(before.Hints) != len(msg.state.Hints) ||
		before.Reached != msg.state.Reached || before.Failed != msg.state.Failed {
		l.app.layout.showLesson()
	}
	return tea.Batch(l.hideAnswers(), l.nextLesson())
}

// lessonScrolls are the keys that scroll the text of the panel, by lines.
var lessonScrolls = map[keymap.Action]int{keymap.Up: -1, keymap.Down: 1, keymap.HalfUp: -3, keymap.HalfDown: 3, keymap.PageUp: -lessonRows, keymap.PageDown: lessonRows, keymap.Top: -1000, keymap.Bottom: 1000}

// onLessonKey handles a key in the panel.
func (l *lessons) onLessonKey(key tea.KeyPressMsg) tea.Cmd {
	p := &l.app.lesson
	b, _ := keymap.At(key.String(), keymap.Everywhere|keymap.Lists)
	if lines, ok := lessonScrolls[b.Do]; ok {
		l.scrollLesson(lines)
		return nil
	}
	switch b.Do {
	case keymap.Help, keymap.Palette, keymap.Redraw, keymap.Suspend, keymap.Fault:
		return l.app.keyboard.do(b, l.app.history.top())
	}
	switch name := key.String(); name {
	case "esc", "q", "L":
		p.entered = false
	case "h":
		return l.hint()
	case "l":
		l.app.prompt = openPalette(l.app, l.app.contexts.contextWord()+" ")
	case "n":
		return l.nextOfLessons()
	case "s":
		return l.skip()
	case "enter":
		if p.begun {
			return l.goOn()
		}
		p.begun = true
		l.app.layout.showLesson()
	default:
		return l.answerLesson(name)
	}
	return nil
}

// answerLesson answers the open prediction, or says that the panel has the keys.
func (l *lessons) answerLesson(key string) tea.Cmd {
	p := &l.app.lesson
	n, err := strconv.Atoi(key)
	if err == nil && p.begun && p.state.open() && n >= 1 && n <= len(p.state.Answers) {
		p.taken.Answer(n)
		return nil
	}
	return l.app.said.say(model.Clean(key) + ": keys go to the lesson panel now. esc returns to the dashboard.")
}

// skip leaves the open prediction without an answer.
func (l *lessons) skip() tea.Cmd {
	if !l.app.lesson.begun || !l.app.lesson.state.open() {
		return l.app.said.say("s skip: no question is open.")
	}
	l.app.lesson.taken.Skip()
	return nil
}

// nextOfLessons starts the next lesson, once the goal of this one is reached.
func (l *lessons) nextOfLessons() tea.Cmd {
	switch s := &l.app.lesson.state; {
	case !s.Reached:
		return l.app.said.say("n next lesson: reach the goal of this one first. l lists all lessons.")
	case s.Next == "" || l.app.Session == nil:
		return l.app.said.say("n next lesson: this is the last one. l lists all lessons.")
	default:
		return l.app.contexts.connect(model.Context{Name: s.Next, Cluster: s.NextTitle})
	}
}

// hint asks for one more hint, or says that there is none.
func (l *lessons) hint() tea.Cmd {
	switch s := &l.app.lesson.state; {
	case s.HintsLeft > 0:
		l.app.lesson.taken.Hint()
	case len(s.Hints) > 0:
		return l.app.said.say("h hint: no more hints for this step.")
	default:
		return l.app.said.say("h hint: no hints for this step.")
	}
	return nil
}

// goOn starts the next step, or says why it cannot start yet.
func (l *lessons) goOn() tea.Cmd {
	state := l.app.lesson.state
	switch {
	case state.Reached || state.Failed != "":
		return nil
	case state.GoingTo > 0:
		return l.app.said.say(fmt.Sprintf("Not yet: going to step %d.", state.GoingTo))
	case state.open():
		return l.app.said.say("Answer first: the scheduler is paused until you do.")
	case state.Step == state.Steps:
		return l.app.said.say("This is the last step: reach the goal.")
	case !state.Ready:
		return l.app.said.say("Not yet: this step is not done.")
	}
	ctx, lesson := l.app.ctx, l.app.lesson.taken
	return func() tea.Msg {
		if err := lesson.Next(ctx); err != nil {
			return lessonFailedMsg{err}
		}
		return nil
	}
}

// lessonFailedMsg says that a step could not be started.
type lessonFailedMsg struct{ err error }
