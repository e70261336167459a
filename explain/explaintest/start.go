package explaintest

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Source has the objects of a cluster: nodes and pods to be applied, everything else
// in informers that were not started.
type Source struct {
	Context    context.Context
	Factory    informers.SharedInformerFactory
	Client     *fake.Clientset
	Unreadable *scheduler.Unreadable

	changes []scheduler.Change
}

// NewSource has objects, of which resources cannot be listed that are forbidden. It
// ends with the test.
func NewSource(t testing.TB, forbidden []string, objects ...runtime.Object) *Source {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Source{Context: ctx, Unreadable: scheduler.NewUnreadable()}
	var held []runtime.Object
	for _, object := range objects {
		switch object.(type) {
		case *corev1.Node, *corev1.Pod:
			s.changes = append(s.changes, scheduler.Change{New: object})
		default:
			held = append(held, object)
		}
	}
	s.Client = fake.NewClientset(held...)
	s.Factory = informers.NewSharedInformerFactory(s.Client, 0)
	t.Cleanup(func() {
		cancel()
		s.Factory.Shutdown()
	})
	for _, name := range forbidden {
		if err := s.Unreadable.Forbid(s.Factory, name, "not allowed to list "+name); err != nil {
			t.Fatal(err)
		}
		s.changes = withoutResource(s.changes, name)
	}
	return s
}

// Start starts the informers and applies the nodes and pods.
func (s *Source) Start(t testing.TB, apply func(revision int64, changes []scheduler.Change) error) {
	t.Helper()
	s.Factory.Start(s.Context.Done())
	for kind, synced := range s.Factory.WaitForCacheSync(s.Context.Done()) {
		if !synced {
			t.Fatalf("%v did not sync", kind)
		}
	}
	if err := apply(1, s.changes); err != nil {
		t.Fatal(err)
	}
}

// StartScheduler builds a scheduler over objects, of which resources cannot be listed
// that are forbidden.
func StartScheduler(t testing.TB, forbidden []string, objects ...runtime.Object) *scheduler.Scheduler {
	t.Helper()
	source := NewSource(t, forbidden, objects...)
	s, err := scheduler.New(source.Context, source.Factory, source.Client, scheduler.Options{
		Unreadable: source.Unreadable, Now: func() time.Time { return Now },
	})
	if err != nil {
		t.Fatal(err)
	}
	source.Start(t, s.Apply)
	return s
}

// withoutResource leaves out changes of what is not listed.
func withoutResource(changes []scheduler.Change, resource string) (rest []scheduler.Change) {
	for _, c := range changes {
		switch c.New.(type) {
		case *corev1.Node:
			if resource == "nodes" {
				continue
			}
		case *corev1.Pod:
			if resource == "pods" {
				continue
			}
		}
		rest = append(rest, c)
	}
	return rest
}
