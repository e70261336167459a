package session

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
)

// Demo opens embedded clusters: one of its own for each lesson.
type Demo struct {
	Story    demo.Story      // of the cluster without a lesson
	File     *lessons.Lesson // one of a file; nil without
	ReadOnly bool
}

var _ ui.Session = (*Demo)(nil)

// Contexts implements ui.Session: the lessons, by name.
func (d *Demo) Contexts() []model.Context {
	var contexts []model.Context
	if d.File != nil {
		contexts = append(contexts, model.Context{Name: d.File.Name, Cluster: d.File.Title})
	}
	all, err := lessons.All()
	if err != nil {
		return contexts
	}
	for _, lesson := range all {
		contexts = append(contexts, model.Context{Name: lesson.Name, Cluster: lesson.Title})
	}
	return append(contexts, model.Context{Name: demo.Context, Cluster: "the cluster without a lesson"})
}

// Open implements ui.Session: it starts an embedded cluster and the lesson of
// that name on it.
func (d *Demo) Open(ctx context.Context, name string) (ui.Cluster, error) {
	return d.openAt(ctx, name, 1)
}

// openAt is Open for who goes to a step of the lesson, counted from 1.
func (d *Demo) openAt(ctx context.Context, name string, step int) (ui.Cluster, error) {
	running, stop := outliving(ctx)
	started, err := d.start(running, name)
	if err != nil {
		stop()
		return nil, err
	}
	shown, err := d.show(running, stop, name, step, started)
	if err != nil {
		stop()
		started.Stop()
		return nil, err
	}
	return shown, nil
}

// show begins the lesson of that name on a cluster, and joins both with the dashboard.
func (d *Demo) show(ctx context.Context, stop func(), name string, step int, on *demo.Cluster) (*embedded, error) {
	taken, err := d.begin(ctx, name, step, on)
	if err != nil {
		return nil, err
	}
	var run *lessons.Run
	if taken != nil {
		run = taken.run
	}
	trainer, err := lessons.NewTrainer(on, run)
	if err != nil {
		return nil, err
	}
	shown, err := embed(ctx, stop, on, d.ReadOnly)
	if err != nil {
		return nil, err
	}
	return &embedded{Cluster: shown, taken: taken, trainer: &training{Trainer: trainer, session: d, name: name}}, nil
}

// start starts a cluster: an empty one for a lesson, else the one with the story.
func (d *Demo) start(ctx context.Context, name string) (*demo.Cluster, error) {
	if name == demo.Context {
		return demo.StartStory(ctx, d.Story)
	}
	return demo.Start(ctx)
}

// begin begins the lesson of that name; nil for the cluster without one.
func (d *Demo) begin(ctx context.Context, name string, step int, on *demo.Cluster) (*taking, error) {
	if name == demo.Context {
		return nil, nil
	}
	lesson, number, err := d.File, 0, error(nil)
	if d.File == nil || d.File.Name != name {
		lesson, number, err = lessons.Named(name)
	}
	if err != nil {
		return nil, err
	}
	run, err := lessons.BeginAt(ctx, lesson, on, clock.RealClock{}, step)
	if err != nil {
		return nil, err
	}
	t := &taking{run: run, number: number, of: lessons.Count()}
	if t.next, err = lessons.After(number); err != nil {
		return nil, err
	}
	if number > 0 { // one of a file may be called anything
		go func() {
			defer utilruntime.HandleCrash()
			LessonBook().Follow(ctx, run, t.unkept)
		}()
	}
	return t, nil
}

// embedded is an embedded cluster, with the lesson that is taken on it.
type embedded struct {
	*Cluster
	taken   *taking // nil without
	trainer *training
}

// embed joins a running embedded cluster with the engine and the model.
func embed(ctx context.Context, stop func(), running *demo.Cluster, readOnly bool) (*Cluster, error) {
	origin, err := running.Source(ctx)
	if err != nil {
		return nil, err
	}
	joined, err := cluster.New(ctx, origin, cluster.Options{})
	if err != nil {
		return nil, err
	}
	reader, dryRunner, writer := running.Clients(ctx)
	actor := act.New(act.Options{
		State: joined, Context: demo.Context, User: "you", Reader: reader, DryRunner: dryRunner, Writer: writer, ReadOnly: readOnly,
	})
	return &Cluster{Cluster: joined, objects: kept(running), actor: actor, stop: stop, after: running.Stop}, nil
}

// Lesson gives the lesson that is taken; nil without.
func (e *embedded) Lesson() lesson.Lesson {
	if e.taken == nil {
		return nil
	}
	return e.taken
}

// Trainer gives who leads the class.
func (e *embedded) Trainer() ui.Trainer { return e.trainer }
