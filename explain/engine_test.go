package explain

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

func TestMain(m *testing.M) {
	Silence()
	goleak.VerifyTestMain(m)
}

// A watch of an earlier test may log while klog's logger is set, which is a race: it
// is set once in a process, before any test.
func TestKlogsLoggerIsSetInOnePlace(t *testing.T) {
	var places []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, set := range []string{"SetLogger(", "SetOutput(", "LogToStderr(", "InitFlags("} {
			if bytes.Contains(text, []byte("klog."+set)) {
				places = append(places, filepath.ToSlash(path))
			}
		}
		return err
	})
	if err != nil || len(places) != 1 || places[0] != "../explain/engine.go" {
		t.Errorf("%v, %v", places, err)
	}
}

// startEngine builds an engine over objects: nodes and pods are applied to it,
// everything else its informers hold.
func startEngine(t testing.TB, options Options, objects ...runtime.Object) *Engine {
	t.Helper()
	return startEngineForbidding(t, options, nil, objects...)
}

// startEngineForbidding is startEngine with resources that cannot be listed.
func startEngineForbidding(t testing.TB, options Options, forbidden []string, objects ...runtime.Object) *Engine {
	t.Helper()
	source := explaintest.NewSource(t, forbidden, objects...)
	options.Trace = source.Unreadable
	if options.Now == nil {
		options.Now = func() time.Time { return testNow }
	}
	engine, err := New(source.Context, source.Factory, source.Client, options)
	if err != nil {
		t.Fatal(err)
	}
	source.Start(t, engine.Apply)
	return engine
}

// mustExplain explains pod and fails the test on an error.
func mustExplain(t testing.TB, e *Engine, pod *corev1.Pod) *report.Report {
	t.Helper()
	report, err := e.Ask(context.Background(), report.Query{Target: report.PodFrom(pod), Parts: report.Nodes})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func resourceQuantity(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

func TestExplanationsAndChangesMayRunAtOnce(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "8"))
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			pod := aPod(fmt.Sprintf("held-%d", worker), "1", on("a"))
			for range 10 {
				if err := e.Apply(2, []scheduler.Change{{New: pod}}); err != nil {
					t.Error(err)
				}
				if _, err := e.Ask(t.Context(), report.Query{Target: report.PodFrom(aPod("web", "9")), Parts: report.Nodes}); err != nil {
					t.Error(err)
				}
				if err := e.Apply(3, []scheduler.Change{{Old: pod}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if r := mustExplain(t, e, aPod("web", "4")); r.Fits != 2 {
		t.Errorf("%d nodes fit after all pods left", r.Fits)
	}
}
