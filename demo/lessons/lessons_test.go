package lessons_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// begin begins a lesson on a cluster of its own.
func begin(t *testing.T, name string) (*lessons.Run, *demo.Cluster) {
	t.Helper()
	lesson, _, err := lessons.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	run, err := lessons.Begin(t.Context(), lesson, cluster, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return run, cluster
}

// await waits for a state of the lesson.
func await(t *testing.T, run *lessons.Run, says string, is func(lessons.State) bool) {
	t.Helper()
	limit := time.After(40 * time.Second)
	for {
		state, changed := run.State()
		if is(state) {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("it does not come to be that %s: %+v", says, state)
		}
	}
}

func TestALessonGoesFromThePredictionToItsGoal(t *testing.T) {
	run, cluster := begin(t, "one-too-many")
	time.Sleep(2 * time.Second)
	list, err := cluster.Client().CoreV1().Pods("web").List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName="})
	if err != nil || len(list.Items) != 7 {
		t.Errorf("before the answer %d pods wait (%v)", len(list.Items), err)
	}
	if err := run.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, _ := run.State(); state.Step != 0 {
		t.Error("the next step began before the prediction was made")
	}
	run.Answer(1)
	run.Answer(2)
	await(t, run, "six run", func(s lessons.State) bool { return s.Ready && s.Now == "6 of 7" })
	if state, _ := run.State(); state.Answered != 1 || state.Right != 0 || state.Asked != 1 {
		t.Errorf("two answers are taken for %+v", state)
	}
	if err := run.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Client().CoreV1().Nodes().Patch(t.Context(), "std-c-03", types.MergePatchType,
		[]byte(`{"spec":{"unschedulable":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, run, "the goal is reached", func(s lessons.State) bool { return s.Reached && !s.Spoilt })
}

func TestALessonThatIsWrongIsRefusedInOneLine(t *testing.T) {
	whole, err := os.ReadFile("one-too-many.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ says, old, new, want string }{
		{"an unknown field", "level: next", "levle: next", "unknown field"},
		{"no YAML", "name: one-too-many", "name: [", "read lesson:"},
		{"an answer that is none", "right: 2", "right: 4", "step 1: the right answer is 4 of 3"},
		{"an expression that cannot be read", "when: ended.size() > 0", "when: ended.size( > 0", "read expression"},
		{"an expression that yields no truth", "when: ended.size() > 0", "when: ended.size()", "it yields int, not bool"},
		{"a manifest of an unknown field", "replicas: 7", "replicaz: 7", `unknown field "spec.replicaz"`},
		{"a manifest that lessons do not make", "kind: Namespace, metadata: {name: web}", "kind: Secret, metadata: {name: web}", "lessons make no Secret"},
		{"no nodes", "nodes:", "nodes: []\nfaults:", "read lesson"},
	} {
		t.Run(test.says, func(t *testing.T) {
			_, err := lessons.Read(strings.NewReader(strings.Replace(string(whole), test.old, test.new, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestAllLessonsCanBeRead(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, lesson := range all {
		if lesson.Learned == "" || !strings.HasPrefix(lesson.Link, "https://kubernetes.io/docs/") || len(lesson.Hints) == 0 {
			t.Errorf("lesson %s ends without an explanation, a link or hints", lesson.Name)
		}
	}
}
