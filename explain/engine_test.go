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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

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

// testNow is the clock of the tests.
var testNow = time.Date(2026, 11, 19, 14, 0, 0, 0, time.UTC)

// startEngine builds an engine over objects: nodes and pods are applied to it,
// everything else its informers hold.
func startEngine(t testing.TB, options Options, objects ...runtime.Object) *Engine {
	t.Helper()
	return startEngineForbidding(t, options, nil, objects...)
}

// startEngineForbidding is startEngine with resources that cannot be listed.
func startEngineForbidding(t testing.TB, options Options, forbidden []string, objects ...runtime.Object) *Engine {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var changes []scheduler.Change
	var held []runtime.Object
	for _, object := range objects {
		switch object.(type) {
		case *corev1.Node, *corev1.Pod:
			changes = append(changes, scheduler.Change{New: object})
		default:
			held = append(held, object)
		}
	}
	client := fake.NewClientset(held...)
	factory := informers.NewSharedInformerFactory(client, 0)
	options.Trace = scheduler.NewUnreadable()
	if options.Now == nil {
		options.Now = func() time.Time { return testNow }
	}
	for _, name := range forbidden {
		if err := options.Trace.Forbid(factory, name, "not allowed to list "+name); err != nil {
			t.Fatal(err)
		}
		changes = withoutResource(changes, name)
	}
	engine, err := New(ctx, factory, client, options)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Fatalf("%v did not sync", kind)
		}
	}
	if err := engine.Apply(1, changes); err != nil {
		t.Fatal(err)
	}
	return engine
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

// mustExplain explains pod and fails the test on an error.
func mustExplain(t testing.TB, e *Engine, pod *corev1.Pod) *report.Report {
	t.Helper()
	report, err := e.Ask(context.Background(), report.Query{Target: report.PodFrom(pod), Parts: report.Nodes})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// aNode is a node with room for cpu, 32Gi and 110 pods, changed by options.
func aNode(name, cpu string, options ...func(*corev1.Node)) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Capacity: room, Allocatable: room.DeepCopy()},
	}
	for _, option := range options {
		option(node)
	}
	return node
}

// aPod is a pending pod that asks for cpu, changed by options.
func aPod(name, cpu string, options ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID("pod-" + name), Labels: map[string]string{"app": name},
			CreationTimestamp: metav1.NewTime(testNow.Add(-time.Minute)), Generation: 1,
		},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName,
			Containers: []corev1.Container{{Name: "main", Image: "registry.example/main", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
			}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, option := range options {
		option(pod)
	}
	return pod
}

func tainted(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

func on(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = node, corev1.PodRunning }
}

func priority(value int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Priority = &value }
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
