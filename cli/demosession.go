package cli

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
)

// demoSession opens embedded clusters: one of its own for each lesson.
type demoSession struct {
	*app
	story demo.Story      // of the cluster without a lesson
	file  *lessons.Lesson // one of a file; nil without
}

var _ ui.Session = (*demoSession)(nil)

// Contexts implements ui.Session: the lessons, by name.
func (s *demoSession) Contexts() []model.Context {
	var contexts []model.Context
	if s.file != nil {
		contexts = append(contexts, model.Context{Name: s.file.Name, Cluster: s.file.Title})
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
func (s *demoSession) Open(ctx context.Context, name string) (ui.Cluster, error) {
	return s.openAt(ctx, name, 1)
}

// openAt is Open for who goes to a step of the lesson, counted from 1.
func (s *demoSession) openAt(ctx context.Context, name string, step int) (ui.Cluster, error) {
	running, stop := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the command that opened it
	started, err := s.start(running, name)
	if err != nil {
		stop()
		return nil, err
	}
	shown, err := s.show(running, name, step, started)
	if err != nil {
		stop()
		started.Stop()
		return nil, err
	}
	shown.stop = stop
	return shown, nil
}

// show begins the lesson of that name on a cluster, and joins both with the dashboard.
func (s *demoSession) show(ctx context.Context, name string, step int, on *demo.Cluster) (*embedded, error) {
	taken, err := s.begin(ctx, name, step, on)
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
	shown, err := embed(ctx, on, s.readOnly)
	if err != nil {
		return nil, err
	}
	if taken != nil {
		shown.taken = taken
	}
	shown.trainer = &training{Trainer: trainer, session: s, name: name}
	return shown, nil
}

// start starts a cluster: an empty one for a lesson, else the one with the story.
func (s *demoSession) start(ctx context.Context, name string) (*demo.Cluster, error) {
	if name == demo.Context {
		return demo.StartStory(ctx, s.story)
	}
	return demo.Start(ctx)
}

// begin begins the lesson of that name; nil for the cluster without one.
func (s *demoSession) begin(ctx context.Context, name string, step int, on *demo.Cluster) (*taking, error) {
	if name == demo.Context {
		return nil, nil
	}
	lesson, number, err := s.file, 0, error(nil)
	if s.file == nil || s.file.Name != name {
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
			lessonBook().Follow(ctx, run, t.unkept)
		}()
	}
	return t, nil
}

// embedded is the embedded cluster as the dashboard needs it.
type embedded struct {
	*cluster.Cluster
	demo    *demo.Cluster
	actor   *act.Actor
	taken   ui.Lesson // nil without
	trainer *training
	stop    context.CancelFunc
}

var _ ui.Cluster = (*embedded)(nil)

// embed joins a running embedded cluster with the engine and the model.
func embed(ctx context.Context, running *demo.Cluster, readOnly bool) (*embedded, error) {
	source, err := running.Source(ctx)
	if err != nil {
		return nil, err
	}
	joined, err := cluster.New(ctx, source, cluster.Options{})
	if err != nil {
		return nil, err
	}
	reader, trier, writer := running.Clients(ctx)
	actor := act.New(act.Options{
		State: joined, Context: demo.Context, User: "you", Reader: reader, Trier: trier, Writer: writer, ReadOnly: readOnly,
	})
	return &embedded{Cluster: joined, demo: running, actor: actor}, nil
}

// Describe implements ui.Cluster.
func (e *embedded) Describe(ctx context.Context, ref model.Ref) (string, error) {
	return e.demo.Describe(ctx, ref)
}

// YAML implements ui.Cluster.
func (e *embedded) YAML(ctx context.Context, ref model.Ref) (string, error) {
	return e.demo.YAML(ctx, ref)
}

// Events implements ui.Cluster.
func (e *embedded) Events(ctx context.Context, ref model.Ref) ([]model.Event, error) {
	return e.demo.Events(ctx, ref)
}

// Actor implements ui.Cluster.
func (e *embedded) Actor() ui.Actor { return e.actor }

// Lesson gives the lesson that is taken; nil without.
func (e *embedded) Lesson() ui.Lesson { return e.taken }

// Trainer gives who leads the class.
func (e *embedded) Trainer() ui.Trainer { return e.trainer }

// Retry implements ui.Cluster: the embedded cluster is never lost.
func (e *embedded) Retry() {}

// Close implements ui.Cluster.
func (e *embedded) Close() {
	e.actor.Close() // before its cluster, which it looks at
	e.stop()
	e.Cluster.Close()
	e.demo.Stop()
}
