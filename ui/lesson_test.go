package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// fakeLesson keeps what was asked of it.
type fakeLesson struct {
	state lesson.State
	asked []string
}

func (l *fakeLesson) State() lesson.State                      { return l.state }
func (l *fakeLesson) Changed(ctx context.Context, _ int) error { return context.Canceled }
func (l *fakeLesson) Answer(n int)                             { l.asked = append(l.asked, fmt.Sprint("answer ", n)) }

func (l *fakeLesson) Skip() { l.asked = append(l.asked, "skip") }

func (l *fakeLesson) Hint() { l.asked = append(l.asked, "hint") }

func (l *fakeLesson) Next(context.Context) error { l.asked = append(l.asked, "next"); return nil }

// taught is a cluster that a lesson is taken on.
type taught struct {
	Cluster
	lesson lesson.Lesson
}

func (c taught) Lesson() lesson.Lesson { return c.lesson }

// oneTooMany is the lesson of the mock-up, its prediction answered.
func oneTooMany() *fakeLesson {
	return &fakeLesson{state: lesson.State{
		Number: 7, Of: 18, Title: "required pod anti-affinity", Story: "Each pod of `front` must run on its own node.",
		Step: 2, Steps: 4, Say: "`front` has 7 replicas and a required anti-affinity by host name. 6 nodes are schedulable.",
		Question: "what happens to the seventh pod?", Answers: []string{"it shares a node", "it stays Pending", "it preempts an older pod"},
		Answered: 2, Right: 2, Foretold: true, Because: "All 6 schedulable nodes reject it (pod-aff), because each runs a pod of `front`.",
		Goal: "all 7 Running, none evicted", Now: "6 of 7", HintsLeft: 2, Ready: true,
	}}
}

// lessonApp is the dashboard with a lesson beside it, on Pods.
func lessonApp(t *testing.T, width, height int, lesson *fakeLesson) *App {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, width, height, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) {
		o.Demo, o.Cluster = true, taught{o.Cluster, lesson}
	})
	app.lesson.Begun, app.lesson.Entered = true, false
	press(t, app, "2")
	app.layout.showLesson()
	return app
}

func TestALessonStandsBesideTheDashboard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			app := lessonApp(t, size[0], size[1], oneTooMany())
			requireScreen(t, app)
		})
	}
}

func TestTheKeysOfALessonAreThePanels(t *testing.T) {
	lesson := oneTooMany()
	app := lessonApp(t, 80, 24, lesson)
	press(t, app, "h", "3") // outside they are the dashboard's
	press(t, app, "L", "h", "enter")
	app.lesson.State.Answered = 0
	press(t, app, "4", "0", "3", "esc", "2")
	if got := strings.Join(lesson.asked, ", "); got != "hint, next, answer 3" {
		t.Errorf("the lesson was asked %s", got)
	}
	if app.lesson.Entered {
		t.Error("esc does not leave the panel")
	}
	if name := app.history.top().Crumbs()[0]; name != "pods" {
		t.Errorf("after the panel was left 2 leads to %s", name)
	}
}

func TestALessonSaysWhatIsNext(t *testing.T) {
	for _, test := range []struct {
		says   string
		change func(*lesson.State)
		want   string
	}{
		{"while the question is open", func(s *lesson.State) { s.Answered, s.Right, s.Because = 0, 0, "" }, "The scheduler is paused until you answer."},
		{"after a wrong answer", func(s *lesson.State) { s.Answered = 1 }, "✗ [1] is wrong. The answer is [2] it stays Pending. All 6 schedulable nodes reject"},
		{"before the cluster shows it", func(s *lesson.State) { s.Ready = false }, "You answered [2]. The scheduler continues: watch what happens."},
		{"after a wrong answer that the cluster does not show yet", func(s *lesson.State) { s.Answered, s.Ready = 1, false }, "You answered [1]. The scheduler continues"},
		{"after a right answer that nothing shows yet", func(s *lesson.State) { s.Foretold = false }, "✓ [2] is correct. All 6 schedulable nodes reject"},
		{"when the step is done", func(s *lesson.State) {}, "L, then enter to continue"},
		{"while the cluster is at it", func(s *lesson.State) { s.Ready = false }, "This step is not done yet."},
		{"on the last step", func(s *lesson.State) { s.Step = 4 }, "h for a hint (2 left)"},
		{"after a hint", func(s *lesson.State) { s.Hints = []string{"look at view 3"} }, "Hint: look at view 3"},
		{"at the goal", func(s *lesson.State) { s.Reached, s.AskedSoFar, s.RightSoFar = true, 2, 1 }, "Goal reached: all 7 Running, none evicted. 1 of 2 predictions were correct."},
		{"when it is failed", func(s *lesson.State) { s.Failed = "A pod was ended." }, "A pod was ended. The goal no longer counts in this attempt. L, then r to start the lesson again, l to list all lessons."},
		{
			"after the goal", func(s *lesson.State) { s.Reached, s.Number, s.Of, s.Next, s.NextTitle = true, 3, 18, "qos", "QoS" },
			"L, then n to start lesson 4 of 18: QoS; r to start this one again, l to list all lessons, ctrl-c to quit.",
		},
		{"after the last lesson", func(s *lesson.State) { s.Reached, s.Number, s.Of = true, 18, 18 }, "This was the last lesson. L, then r to start this one again, l to list all lessons, ctrl-c to quit."},
		{"when a fault strikes", func(s *lesson.State) { s.Answered, s.Faults = 0, []string{"std-a-01 stopped responding."} }, "! std-a-01 stopped responding."},
		{"on the way to a step", func(s *lesson.State) { s.GoingTo = 4 }, "Going to step 4. Step 2 is done for you:"},
		{"on the way, where it fails", func(s *lesson.State) { s.GoingTo, s.Trouble = 4, "create Pod: no" }, "! create Pod: no"},
		{"where a step was left open", func(s *lesson.State) { s.Unfinished, s.Answered, s.Say = []int{1}, 0, "" }, "! Step 1 did not finish: its changes are missing."},
		{"where an instructor helps", func(s *lesson.State) { s.Led = true }, "2 of 4, with help"},
		{"at a goal that does not count", func(s *lesson.State) { s.Led, s.Reached = true, true }, "An instructor helped, so it does not count as passed."},
		{"with what a terminal would obey", func(s *lesson.State) { s.Step, s.Now = 4, "\x1b[31m6" }, "Now"},
	} {
		t.Run(test.says, func(t *testing.T) {
			lesson := oneTooMany()
			test.change(&lesson.state)
			screen := ansi.Strip(lessonApp(t, 80, 24, lesson).View().Content)
			if !strings.Contains(strings.Join(strings.Fields(screen), " "), test.want) || strings.Contains(screen, "\x1b") {
				t.Errorf("the screen is\n%s", screen)
			}
		})
	}
}

func TestAStoryIsReadFirst(t *testing.T) {
	lesson := oneTooMany()
	app := lessonApp(t, 80, 24, lesson)
	app.lesson.Begun = false
	app.layout.showLesson()
	if screen := ansi.Strip(app.View().Content); !strings.Contains(screen, "Each pod of front must") || strings.Contains(screen, "Predict") {
		t.Errorf("the screen is\n%s", screen)
	}
	press(t, app, "L", "2", "enter")
	if len(lesson.asked) != 0 {
		t.Errorf("reading the story asks %v", lesson.asked)
	}
	if screen := ansi.Strip(app.View().Content); !strings.Contains(screen, "Predict") {
		t.Errorf("the screen is\n%s", screen)
	}
}

func TestTheKeysOfALessonAreShownAsTheWayToThemIs(t *testing.T) {
	lesson := oneTooMany()
	app := lessonApp(t, 80, 24, lesson)
	if got := screen(app); !strings.Contains(got, "L, then enter to continue") {
		t.Errorf("outside the panel the screen is\n%s", got)
	}
	press(t, app, "L")
	got := screen(app)
	lines := strings.Split(got, "\n")
	if strings.Contains(got, "L, then") || !strings.Contains(got, "enter to continue") || !strings.Contains(lines[len(lines)-1], "esc dashboard") {
		t.Errorf("in the panel the screen is\n%s", got)
	}
	if strings.Contains(lines[len(lines)-1], "evict") {
		t.Errorf("in the panel the footer has the keys of the page: %s", lines[len(lines)-1])
	}
	press(t, app, "e")
	if got := screen(app); !strings.Contains(got, "e: keys go to the lesson panel now. esc returns to the dashboard.") {
		t.Errorf("after a key of the page the screen is\n%s", got)
	}
	press(t, app, "esc", "L", "?")
	if got := screen(app); !strings.Contains(got, "Keys in Pods") {
		t.Errorf("? in the panel shows\n%s", got)
	}
}

func TestALessonBeginsWithItsStoryInThePanel(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) {
		o.Demo, o.Cluster = true, taught{o.Cluster, oneTooMany()}
	})
	if got := screen(app); !strings.Contains(got, "Each pod of front must") || !strings.Contains(got, " enter to continue") {
		t.Errorf("the screen is\n%s", got)
	}
	press(t, app, "enter")
	if got := screen(app); !strings.Contains(got, "Predict") {
		t.Errorf("after enter the screen is\n%s", got)
	}
}

func TestTheKeyOfAnAnswerIsNotTakenForANumberInIt(t *testing.T) {
	for _, width := range []int{80, 120} {
		lesson := oneTooMany()
		lesson.state.Answered, lesson.state.Answers = 0, []string{"none", "1", "3"}
		got := strings.Join(strings.Fields(screen(lessonApp(t, width, 40, lesson))), " ")
		if width == 80 && !strings.Contains(got, "[1] none [2] 1 [3] 3") {
			t.Errorf("at %d columns the answers are not marked:\n%s", width, got)
		}
		if !strings.Contains(got, "[3] 3") {
			t.Errorf("at %d columns the answers are not marked:\n%s", width, got)
		}
	}
}

func TestWhatIsNewInALessonIsShown(t *testing.T) {
	lesson := oneTooMany()
	lesson.state.Ready = false
	app := lessonApp(t, 60, 15, lesson)
	press(t, app, "L", "g")
	if got := screen(app); !strings.Contains(got, "front has 7 replicas") || !strings.Contains(got, "more lines") {
		t.Errorf("after g the screen is\n%s", got)
	}
	lesson.state.Ready = true
	send(t, app, lessonMsg{lesson, lesson.state})
	if got := screen(app); !strings.Contains(got, "✓ [2] is correct.") || !strings.Contains(got, "lines above") {
		t.Errorf("when the step is done the screen is\n%s", got)
	}
}

func TestNamesInALessonAreDrawnStrongAndWithoutBackticks(t *testing.T) {
	lesson := oneTooMany()
	lesson.state.Answered, lesson.state.Say = 0, "Pods of `front` run on `std-a-01`."
	lesson.state.Answers = []string{"on `std-a-01`", "it stays `Pending", "on another node"}
	app := lessonApp(t, 80, 24, lesson)
	content := app.View().Content
	for _, name := range []string{"front", "std-a-01"} {
		if !strings.Contains(content, app.styles().Strong.Render(name)) {
			t.Errorf("%s is not drawn strong: %q", name, content)
		}
	}
	got := ansi.Strip(content)
	for _, want := range []string{"Pods of front run on std-a-01.", "[1] on std-a-01    [2] it stays `Pending"} {
		if !strings.Contains(got, want) {
			t.Errorf("the screen is without %q:\n%s", want, got)
		}
	}
}
