package ui

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// lessons takes the user through a lesson: its keys, and what they do.
type lessons struct{ app *App }

// Lesson is a lesson that is being taken on the embedded cluster.
type Lesson interface {
	// State is how far it is.
	State() LessonState
	// Changed waits until the state is another than that of a revision.
	Changed(ctx context.Context, revision int) error
	// Answer answers the open prediction, counted from 1.
	Answer(n int)
	// Skip leaves the open prediction without an answer: it counts as not right.
	Skip()
	// Hint gives one more hint for the step, if one is left.
	Hint()
	// Next begins the next step, if it may begin.
	Next(ctx context.Context) error
}

// LessonState is how far a lesson is, at one instant.
type LessonState struct {
	Revision   int // grows with each change
	Number, Of int // of the lessons that come with fathom; 0 for one of a file
	Title      string
	Story      string
	Step       int // counted from 1
	Steps      int
	Say        string // the step's text
	Question   string // of the step's prediction; "" where nothing is asked
	Answers    []string
	Answered   int      // counted from 1; 0 while the question is open, below 0 if it was skipped
	Right      int      // the answer that is right; 0 while the question is open
	Because    string   // why it is; "" while the question is open
	Foretold   bool     // the cluster shows what the right answer says; Ready tells when it does
	Faults     []string // what happened by itself so far
	Goal       string
	Now        string   // how far the goal is
	Hints      []string // that were given for the step
	HintsLeft  int
	Ready      bool // the next step may begin
	Reached    bool
	Spoilt     string // why it has to begin again; "" while it is whole
	Learned    string // the explanation at the end; "" before
	Link       string
	Next       string // the lesson after it, by its name; "" where none is
	NextTitle  string
	RightSoFar int      // predictions that were right
	AskedSoFar int      // of so many
	Outline    []string // what each step says
	Heading    int      // the step that is gone to, counted from 1; 0 where none is
	Short      []int    // steps before it that did not come to their end
	Led        bool     // a trainer had a hand in it: it does not count as passed
	Trouble    string
}

// open says whether the step's prediction waits for an answer.
func (s *LessonState) open() bool { return s.Question != "" && s.Answered == 0 }

// teacher is a cluster that a lesson is taken on.
type teacher interface{ Lesson() Lesson }

// beginLesson shows the lesson of the cluster that was opened, if there is one. Its
// story is read first: the keys are the panel's.
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
	taken   Lesson // nil where none is
	state   LessonState
	begun   bool // the story was read
	entered bool // its keys are the panel's
	needs   int  // lines of its text, when it was shown last
	top     int  // first line shown
	large   bool // its parts stand apart, and the answers one below the other
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
			return nil // nobody waits for it any more
		}
		return lessonMsg{lesson, lesson.State()}
	}
}

// onLesson takes a newer state; what is new is shown from its beginning.
func (l *lessons) onLesson(msg lessonMsg) tea.Cmd {
	if msg.of != l.app.lesson.taken {
		return nil // of a cluster that was left
	}
	before := l.app.lesson.state
	l.app.lesson.state = msg.state
	if before.Step != msg.state.Step || before.Answered != msg.state.Answered || before.Ready != msg.state.Ready || len(before.Hints) != len(msg.state.Hints) ||
		before.Reached != msg.state.Reached || before.Spoilt != msg.state.Spoilt {
		l.app.layout.showLesson()
	}
	return tea.Batch(l.hideAnswers(), l.nextLesson())
}

// lessonScrolls are the keys of the panel that scroll its text, by lines; those of
// a page scroll by what the panel shows.
var lessonScrolls = map[keymap.Action]int{keymap.Up: -1, keymap.Down: 1, keymap.HalfUp: -3, keymap.HalfDown: 3, keymap.PageUp: -lessonRows, keymap.PageDown: lessonRows, keymap.Top: -1000, keymap.Bottom: 1000}

// onLessonKey does what a key means in the panel.
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

// answerLesson answers the open prediction, or says whose the keys are.
func (l *lessons) answerLesson(key string) tea.Cmd {
	p := &l.app.lesson
	n, err := strconv.Atoi(key)
	if err == nil && p.begun && p.state.open() && n >= 1 && n <= len(p.state.Answers) {
		p.taken.Answer(n)
		return nil
	}
	return l.app.said.say(model.Clean(key) + ": the keys are the lesson's now. esc goes to the dashboard.")
}

// skip leaves the open prediction without an answer.
func (l *lessons) skip() tea.Cmd {
	if !l.app.lesson.begun || !l.app.lesson.state.open() {
		return l.app.said.say("s skip: nothing is asked now.")
	}
	l.app.lesson.taken.Skip()
	return nil
}

// nextOfLessons begins the lesson after this one, once its goal is reached.
func (l *lessons) nextOfLessons() tea.Cmd {
	switch s := &l.app.lesson.state; {
	case !s.Reached:
		return l.app.said.say("n next lesson: the goal of this one is not reached yet. l lists all lessons.")
	case s.Next == "" || l.app.Session == nil:
		return l.app.said.say("n next lesson: there is none after this one. l lists all lessons.")
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
		return l.app.said.say("h hint: there is no other one for this step.")
	default:
		return l.app.said.say("h hint: there is none for this step.")
	}
	return nil
}

// goOn begins the next step, or says why it cannot begin yet.
func (l *lessons) goOn() tea.Cmd {
	state := l.app.lesson.state
	switch {
	case state.Reached || state.Spoilt != "":
		return nil
	case state.Heading > 0:
		return l.app.said.say(fmt.Sprintf("Not yet: it is on its way to step %d.", state.Heading))
	case state.open():
		return l.app.said.say("Predict first: the scheduler is held until then.")
	case state.Step == state.Steps:
		return l.app.said.say("This is the last step: reach its goal.")
	case !state.Ready:
		return l.app.said.say("Not yet: the cluster is still at it.")
	}
	ctx, lesson := l.app.ctx, l.app.lesson.taken
	return func() tea.Msg {
		if err := lesson.Next(ctx); err != nil {
			return lessonFailedMsg{err}
		}
		return nil
	}
}

// lessonFailedMsg says that a step could not begin.
type lessonFailedMsg struct{ err error }
