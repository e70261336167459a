package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// fakeTrainer keeps what was asked of it.
type fakeTrainer struct {
	on    []lesson.ActiveFault
	asked []string
	err   error
	next  Cluster
}

func (t *fakeTrainer) Faults(on lesson.FaultTarget) []lesson.Fault {
	return []lesson.Fault{
		{Name: "cordon", Says: cmp.Or(on.Node, "a node") + " is cordoned; no new pods", Takes: "node", Has: on.Node != ""},
		{Name: "too-large", Says: "a pod requests cpu 500; no node is that large", Takes: "", Has: true},
		{Name: "no-image", Says: cmp.Or(on.Name, "a workload") + " rolls out an image that does not exist", Takes: "deployment", Has: on.Kind == "Deployment"},
		{Name: "quota", Says: "a ResourceQuota allows no new pods in " + cmp.Or(on.Namespace, "a namespace"), Takes: "namespace", Has: on.Namespace != ""},
	}
}

func (t *fakeTrainer) Active() []lesson.ActiveFault { return t.on }

func (t *fakeTrainer) Inject(_ context.Context, name string, on lesson.FaultTarget) error {
	t.asked = append(t.asked, strings.TrimRight(fmt.Sprintln(name, on.Node, on.Zone, on.Namespace, on.Kind, on.Name), " \n"))
	return t.err
}

func (t *fakeTrainer) Remove(_ context.Context, id int) error {
	t.asked = append(t.asked, fmt.Sprint("remove ", id))
	return t.err
}

func (t *fakeTrainer) Reset(_ context.Context, step int) (Cluster, error) {
	t.asked = append(t.asked, fmt.Sprint("reset ", step))
	return t.next, t.err
}

// trained is a cluster with a trainer, and a lesson if there is one.
type trained struct {
	Cluster
	trainer *fakeTrainer
	lesson  lesson.Lesson
}

func (c trained) Trainer() Trainer { return c.trainer }

func (c trained) Lesson() lesson.Lesson { return c.lesson }

// trainerApp is a demo of prod-eu's nodes with a trainer, on Nodes at gpu-a-01.
func trainerApp(t *testing.T, trainer *fakeTrainer, lesson lesson.Lesson, with func(*Options)) *App {
	t.Helper()
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) {
		o.Demo, o.Production, o.Context, o.Cluster = true, "", "demo", trained{o.Cluster, trainer, lesson}
		if with != nil {
			with(o)
		}
	})
	app.lesson.Entered = false
	press(t, app, "3")
	return app
}

// outline is a lesson of three steps, of which the second is taken.
func outline() *fakeLesson {
	lesson := oneTooMany()
	lesson.state.Steps, lesson.state.Outline = 3, []string{"The first\n step.", "The second, which goes on for longer than there is room for in a row of a box of 80 cells.", "The third."}
	return lesson
}

func TestTheMenuOfATrainer(t *testing.T) {
	trouble := []lesson.ActiveFault{{ID: 3, Says: "std-b-01 is cordoned; no new pods"}}
	for _, test := range []struct {
		name   string
		on     []lesson.ActiveFault
		lesson lesson.Lesson
		with   func(*Options)
		keys   []string
	}{
		{"without-a-lesson", nil, nil, nil, []string{"i"}},
		{"with-a-lesson-and-a-fault", trouble, outline(), nil, []string{"i", "j"}},
		{"read-only", trouble, nil, func(o *Options) { o.ReadOnly = true }, []string{"i", "enter"}},
		{"on-which-node", nil, nil, nil, []string{"1", "j", "i", "enter"}},
		{"on-which-workload", nil, nil, nil, []string{"i", "j", "j", "enter", "j"}},
		{"steps", nil, outline(), nil, []string{"i", "G", "enter"}},
		{"step-3", nil, outline(), nil, []string{"i", "G", "enter", "j", "enter"}},
		{"reset", nil, outline(), nil, []string{"i", "G", "k", "enter"}},
		{"help", nil, nil, nil, []string{"?"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := trainerApp(t, &fakeTrainer{on: test.on}, test.lesson, test.with)
			press(t, app, test.keys...)
			requireScreen(t, app)
		})
	}
}

func TestAFaultIsInjectedIntoTheSelectedObject(t *testing.T) {
	for _, test := range []struct {
		says string
		keys []string
		want string
	}{
		{"the selected node", []string{"i", "enter"}, "cordon gpu-a-01 eu-1a"},
		{"what needs no place", []string{"i", "j", "enter"}, "too-large gpu-a-01 eu-1a"},
		{"a pod's node", []string{"2", "j", "j", "i", "enter"}, "cordon std-b-02 eu-1b batch"},
		{"a pod's namespace", []string{"2", "j", "j", "i", "G", "k", "enter"}, "quota std-b-02 eu-1b batch"},
		{"a node that is asked for", []string{"1", "j", "i", "enter", "j", "enter"}, "cordon gpu-b-01 eu-1b"},
		{"a namespace that is asked for", []string{"i", "j", "j", "j", "enter", "j", "enter"}, "quota   data"},
		{"a deployment that is asked for", []string{"i", "j", "j", "enter", "enter"}, "no-image   shop Deployment cart"},
		{"nothing after esc", []string{"i", "esc"}, ""},
		{"nothing after a second i", []string{"i", "i", "enter", "esc"}, ""},
	} {
		t.Run(test.says, func(t *testing.T) {
			trainer := &fakeTrainer{}
			app := trainerApp(t, trainer, nil, nil)
			press(t, app, test.keys...)
			if got := strings.Join(trainer.asked, ", "); got != test.want {
				t.Errorf("the trainer was asked %q, want %q\n%s", got, test.want, screen(app))
			}
		})
	}
}

func TestAFaultReportsItsResult(t *testing.T) {
	trainer := &fakeTrainer{on: []lesson.ActiveFault{{ID: 3, Says: "std-b-01 is cordoned; no new pods"}}}
	app := trainerApp(t, trainer, nil, nil)
	press(t, app, "i", "enter")
	if got := screen(app); !strings.Contains(got, "Removed: std-b-01 is cordoned; no new pods.") || trainer.asked[0] != "remove 3" {
		t.Errorf("asked was %v\n%s", trainer.asked, got)
	}
	press(t, app, "i", "j", "enter")
	if got := screen(app); !strings.Contains(got, "Injected: gpu-a-01 is cordoned; no new pods.") {
		t.Errorf("the screen is\n%s", got)
	}
	trainer.err = errors.New("inject fault cordon: already done")
	press(t, app, "i", "j", "enter")
	if got := screen(app); !strings.Contains(got, "inject fault cordon: already done") {
		t.Errorf("the screen is\n%s", got)
	}
}

func TestNoFaultIsInjectedIntoARealCluster(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3", "i")
	if got := screen(app); !strings.Contains(got, "i fault: only the embedded cluster has faults (fathom demo).") || app.dialog != nil {
		t.Errorf("the screen is\n%s", got)
	}
	for _, e := range app.commands.all() {
		if e.Name == "fault" || e.Name == "reset" || e.Name == "step" {
			t.Errorf("the palette offers %s", e.Name)
		}
	}
}

func TestAResetKeepsThePage(t *testing.T) {
	next := &fakeCluster{reports: verdictsOf(newProdEU().snapshot())}
	trainer := &fakeTrainer{}
	trainer.next = trained{next, trainer, nil}
	old := &fakeCluster{}
	app := trainerApp(t, trainer, nil, func(o *Options) { o.Cluster = trained{old, trainer, nil} })
	press(t, app, "w", "/", "s", "t", "d", "enter", "i", "G", "enter", "n")
	if len(trainer.asked) > 0 {
		t.Fatalf("before a yes the trainer was asked %v", trainer.asked)
	}
	answers(t, app)
	if got := strings.Join(trainer.asked, ", "); got != "reset 1" || !old.closed || next.closed {
		t.Errorf("asked was %s; closed are the old one: %v, the new one: %v", got, old.closed, next.closed)
	}
	send(t, app, snapshotMsg{opened: app.opened, snapshot: newProdEU().snapshot()})
	if got := screen(app); !strings.Contains(got, "demo › all › nodes") || app.pages.nodes.Filter != "std" || strings.Contains(got, "gpu-a-01") || !app.pages.nodes.Table.Wide {
		t.Errorf("the screen is\n%s", got)
	}
}

// answers says yes to the box, which has been read.
func answers(t *testing.T, app *App) {
	t.Helper()
	box, ok := app.dialog.(*dialog.YesNo)
	if !ok {
		t.Fatalf("nothing is asked:\n%s", screen(app))
	}
	box.Guard = dialog.Guard{}
	press(t, app, "y")
}

func TestAResetThatFailsChangesNothing(t *testing.T) {
	trainer := &fakeTrainer{err: errors.New("start demo: no")}
	old := &fakeCluster{}
	app := trainerApp(t, trainer, nil, func(o *Options) { o.Cluster = trained{old, trainer, nil} })
	press(t, app, "i", "G", "enter")
	answers(t, app)
	if got := screen(app); !strings.Contains(got, "reset cluster: start demo: no") || !strings.Contains(got, "12 nodes") || old.closed {
		t.Errorf("the screen is\n%s", got)
	}
}

func TestAClusterThatComesTooLateIsClosed(t *testing.T) {
	late := &fakeCluster{}
	app := trainerApp(t, &fakeTrainer{}, nil, nil)
	send(t, app, connectedMsg{context: model.Context{Name: "qos"}, cluster: &fakeCluster{}})
	send(t, app, resetMsg{opened: 0, step: 1, cluster: late})
	if !late.closed {
		t.Error("a cluster that nobody looks at is left open")
	}
}

func TestAStepIsGoneToInsideTheLesson(t *testing.T) {
	trainer := &fakeTrainer{}
	after := outline()
	after.state.GoingTo, after.state.Step = 3, 1
	trainer.next = trained{&fakeCluster{}, trainer, after}
	app := trainerApp(t, trainer, outline(), nil)
	press(t, app, "L", "i", "G", "enter", "j", "enter")
	answers(t, app)
	if got := strings.Join(trainer.asked, ", "); got != "reset 3" {
		t.Errorf("the trainer was asked %s", got)
	}
	if got := screen(app); !strings.Contains(got, "Going to step 3. Step 1 is done for you:") || !app.lesson.Entered {
		t.Errorf("the screen is\n%s", got)
	}
	press(t, app, "enter")
	if got := screen(app); !strings.Contains(got, "Not yet: going to step 3.") {
		t.Errorf("the screen is\n%s", got)
	}
}

func TestThePaletteLeadsToWhatATrainerDoes(t *testing.T) {
	for _, test := range []struct{ typed, want string }{
		{"fault", "┌ Faults, reset, steps"}, {"reset", "┌ Reset"}, {"step", "┌ Go to a step"},
	} {
		app := trainerApp(t, &fakeTrainer{}, outline(), nil)
		press(t, app, ":")
		write(t, app, test.typed)
		press(t, app, "enter")
		if got := screen(app); !strings.Contains(got, test.want) {
			t.Errorf(":%s shows\n%s", test.typed, got)
		}
	}
}

func TestALessonThatIsOverIsStartedAgainByItsKey(t *testing.T) {
	trainer := &fakeTrainer{}
	taken := oneTooMany()
	app := trainerApp(t, trainer, taken, nil)
	if !app.lesson.Entered {
		press(t, app, "L")
	}
	press(t, app, "r")
	if got := screen(app); app.dialog != nil || !strings.Contains(got, "r again: the lesson is not over. i, then reset, starts it again.") {
		t.Errorf("before it is over the screen is\n%s", got)
	}
	app.lesson.State.Failed = "A pod was deleted."
	press(t, app, "r")
	answers(t, app)
	if got := strings.Join(trainer.asked, ", "); got != "reset 1" {
		t.Errorf("asked was %s", got)
	}
}
