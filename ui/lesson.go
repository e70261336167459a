package ui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// lessons handles the keys of a lesson.
type lessons struct{ app *App }

// teacher is a cluster that a lesson is taken on.
type teacher interface{ Lesson() lesson.Lesson }

// beginLesson shows the lesson of the opened cluster, if it has one. The panel has the
// keys, because the story is read first.
func (l *lessons) beginLesson() {
	l.app.lesson = lesson.Panel{Large: l.app.Large}
	t, ok := l.app.Cluster.(teacher)
	if !ok {
		return
	}
	if l.app.lesson.Taken = t.Lesson(); l.app.lesson.Taken != nil {
		l.app.lesson.State, l.app.lesson.Entered = l.app.lesson.Taken.State(), true
	}
}

// lessonMsg brings a newer state of the lesson.
type lessonMsg struct {
	of    lesson.Lesson
	state lesson.State
}

// nextLesson waits, off the event loop, for the lesson to change.
func (l *lessons) nextLesson() tea.Cmd {
	if l.app.lesson.Taken == nil {
		return nil
	}
	ctx, taken, known := l.app.ctx, l.app.lesson.Taken, l.app.lesson.State.Revision
	return func() tea.Msg {
		if taken.Changed(ctx, known) != nil {
			return nil // the dashboard ended
		}
		return lessonMsg{taken, taken.State()}
	}
}

// onLesson takes a newer state and scrolls to what is new.
func (l *lessons) onLesson(msg lessonMsg) tea.Cmd {
	if msg.of != l.app.lesson.Taken {
		return nil // of a previous cluster
	}
	before := l.app.lesson.State
	l.app.lesson.State = msg.state
	if before.Step != msg.state.Step || before.Answered != msg.state.Answered || before.Ready != msg.state.Ready || len(before.Hints) != len(msg.state.Hints) ||
		before.Reached != msg.state.Reached || before.Failed != msg.state.Failed {
		l.app.layout.showLesson()
	}
	return tea.Batch(l.hideAnswers(), l.nextLesson())
}

// onLessonKey handles a key in the panel.
func (l *lessons) onLessonKey(key tea.KeyPressMsg) tea.Cmd {
	p := &l.app.lesson
	switch name := key.String(); name { // the panel's own first: the settings may give them to actions
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		return l.answerLesson(name)
	case "esc", "q", "L":
		p.Entered = false
	case "h":
		return l.hint()
	case "l":
		l.app.commands.open(l.app.contexts.contextWord() + " ")
	case "n":
		return l.nextOfLessons()
	case "r":
		return l.again()
	case "s":
		return l.skip()
	case "enter":
		if p.Begun {
			return l.goOn()
		}
		p.Begun = true
		l.app.layout.showLesson()
	default:
		return l.onDashboardKey(name)
	}
	return nil
}

// onDashboardKey handles a key in the panel that is one of the dashboard.
func (l *lessons) onDashboardKey(key string) tea.Cmd {
	p := &l.app.lesson
	b, _ := l.app.Keys.At(key, keymap.Everywhere|keymap.Lists)
	if lines, ok := keymap.Steps(b.Do, 3, lesson.Rows, 1000); ok {
		p.Scroll(lines, l.app.width, l.app.height-frameRows)
		return nil
	}
	switch b.Do {
	case keymap.Help, keymap.Palette, keymap.Redraw, keymap.Suspend, keymap.Fault:
		return l.app.keyboard.do(b, l.app.history.top())
	}
	return l.answerLesson(key)
}

// answerLesson answers the open prediction, or says that the panel has the keys.
func (l *lessons) answerLesson(key string) tea.Cmd {
	p := &l.app.lesson
	n, err := strconv.Atoi(key)
	if err == nil && p.Begun && p.State.IsOpen() && n >= 1 && n <= len(p.State.Answers) {
		p.Taken.Answer(n)
		return nil
	}
	return l.app.said.say(model.Clean(key) + ": keys go to the lesson panel now. esc returns to the dashboard.")
}

// skip leaves the open prediction without an answer.
func (l *lessons) skip() tea.Cmd {
	if !l.app.lesson.Begun || !l.app.lesson.State.IsOpen() {
		return l.app.said.say("s skip: no question is open.")
	}
	l.app.lesson.Taken.Skip()
	return nil
}

// nextOfLessons starts the next lesson, once the goal of this one is reached.
func (l *lessons) nextOfLessons() tea.Cmd {
	switch s := &l.app.lesson.State; {
	case !s.Reached:
		return l.app.said.say("n next lesson: reach the goal of this one first. l lists all lessons.")
	case s.Next == "" || l.app.Session == nil:
		return l.app.said.say("n next lesson: this is the last one. l lists all lessons.")
	default:
		return l.app.contexts.connect(model.Context{Name: s.Next, Cluster: s.NextTitle})
	}
}

// again starts the lesson again, once it is over.
func (l *lessons) again() tea.Cmd {
	switch s := &l.app.lesson.State; {
	case !s.Reached && s.Failed == "":
		return l.app.said.say("r again: the lesson is not over. i, then reset, starts it again.")
	case l.app.training.trainer() == nil:
		return l.app.said.say("r again: this cluster cannot be reset.")
	}
	return l.app.training.askReset()
}

// hint asks for one more hint, or says that there is none.
func (l *lessons) hint() tea.Cmd {
	switch s := &l.app.lesson.State; {
	case s.HintsLeft > 0:
		l.app.lesson.Taken.Hint()
	case len(s.Hints) > 0:
		return l.app.said.say("h hint: no more hints for this step.")
	default:
		return l.app.said.say("h hint: no hints for this step.")
	}
	return nil
}

// goOn starts the next step, or says why it cannot start yet.
func (l *lessons) goOn() tea.Cmd {
	state := l.app.lesson.State
	switch {
	case state.Reached || state.Failed != "":
		return nil
	case state.GoingTo > 0:
		return l.app.said.say(fmt.Sprintf("Not yet: going to step %d.", state.GoingTo))
	case state.IsOpen():
		return l.app.said.say("Answer first: the scheduler is paused until you do.")
	case state.Step == state.Steps:
		return l.app.said.say("This is the last step: reach the goal.")
	case !state.Ready:
		return l.app.said.say("Not yet: this step is not done.")
	}
	ctx, taken := l.app.ctx, l.app.lesson.Taken
	return func() tea.Msg {
		if err := taken.Next(ctx); err != nil {
			return lessonFailedMsg{err}
		}
		return nil
	}
}

// lessonFailedMsg says that a step could not be started.
type lessonFailedMsg struct{ err error }
