package lessons_test

import (
	"flag"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// TestMain runs more tests at a time than there are processors, unless told how
// many: they mostly wait.
func TestMain(m *testing.M) {
	explain.Silence()
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" || f.Name == "test.fuzz" })
	if !told {
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// stage is a lesson that is taken on a cluster of its own, by what the dashboard
// acts with.
type stage struct {
	*testing.T
	*lessons.Run
	lesson   *lessons.Lesson
	joined   *cluster.Cluster
	actor    *act.Actor
	embedded lessons.Cluster
}

func begin(t *testing.T, name string) *stage {
	t.Helper()
	return beginAt(t, name, 1)
}

// beginAt begins a lesson at a step; those below 1 count from the last one, 0.
func beginAt(t *testing.T, name string, step int) *stage {
	t.Helper()
	lesson, _, err := lessons.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	running, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.Stop)
	source, err := running.Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, lesson: lesson, embedded: running}
	if step < 1 {
		step += len(lesson.Steps)
	}
	if s.joined, err = cluster.New(t.Context(), source, cluster.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.joined.Close)
	reader, dryRunner, writer := running.Clients(t.Context())
	s.actor = act.New(act.Options{State: s.joined, Context: demo.Context, User: "you", Reader: reader, DryRunner: dryRunner, Writer: writer})
	t.Cleanup(s.actor.Close)
	if s.Run, err = lessons.BeginAt(t.Context(), lesson, running, clock.RealClock{}, step); err != nil {
		t.Fatal(err)
	}
	return s
}

// patience is how long something may take that has to come.
const patience = 3 * time.Minute

// await waits for a state of the lesson.
func (s *stage) await(says string, is func(lessons.State) bool) {
	s.Helper()
	limit := time.After(patience)
	for {
		state, changed := s.State()
		if is(state) {
			return
		}
		select {
		case <-changed:
		case <-limit:
			s.Fatalf("it does not come to be that %s: step %d, %q, reached %v, failed %v, trouble %q",
				says, state.Step+1, state.Now, state.Reached, state.Failed, state.Trouble)
		}
	}
}

// awaitThat waits for an expression to hold.
func (s *stage) awaitThat(expression string) {
	s.Helper()
	for end := time.Now().Add(patience); !s.holds(expression); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("it does not come to hold that %s", expression)
		}
	}
}

func (s *stage) holds(expression string) bool {
	s.Helper()
	is, err := s.Holds(expression)
	if err != nil {
		s.Fatal(err)
	}
	return is
}

// do plans an action, confirms and runs it, as the dashboard does. What is planned
// on a snapshot that is behind is planned again.
func (s *stage) do(wish func() plan.Action) {
	s.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		action := wish()
		if action == nil {
			continue
		}
		if err = s.try(action); err == nil {
			return
		}
	}
	s.Fatalf("the action is not done: %v", err)
}

func (s *stage) try(action plan.Action) error {
	plan, err := s.actor.Plan(s.Context(), action)
	if err != nil {
		return err
	}
	question := plan.Question(demo.Context, false)
	consents := slices.Repeat([]bool{true}, len(plan.Consents))
	confirmed, err := plan.Confirm(question, question.Answer, consents)
	if err != nil {
		return err
	}
	_, err = s.actor.Run(s.Context(), confirmed)
	return err
}

// studentAction is what a student does to the cluster.
type studentAction func(*stage)

// always is an action that no pod has to be found for.
func always(action plan.Action) studentAction {
	return func(s *stage) {
		s.Helper()
		s.do(func() plan.Action { return action })
	}
}

func cordon(node string) studentAction { return always(plan.Cordon{Nodes: []string{node}}) }
func uncordon(node string) studentAction {
	return always(plan.Cordon{Nodes: []string{node}, Off: true})
}
func drain(node string) studentAction { return always(plan.Drain{Nodes: []string{node}}) }

func taint(node, key, value string, effect corev1.TaintEffect) studentAction {
	return always(plan.Taint{Nodes: []string{node}, Add: []corev1.Taint{{Key: key, Value: value, Effect: effect}}})
}

func label(node, key, value string) studentAction {
	return always(plan.Label{Refs: []model.Ref{plan.NodeRef(node)}, Set: map[string]string{key: value}})
}

func scale(namespace, name string, replicas int32) studentAction {
	return always(plan.Scale{Ref: model.Ref{Resource: "deployments/scale", Namespace: namespace, Name: name}, Replicas: replicas})
}

func restart(namespace, name string) studentAction {
	return func(s *stage) {
		s.Helper()
		s.do(func() plan.Action {
			return plan.Restart{Ref: model.Ref{Resource: "deployments", Namespace: namespace, Name: name}, At: time.Now()}
		})
	}
}

// podOf is a pod of an application that runs on a node ("": on any, or none).
func (s *stage) podOf(app, node string) []model.Ref {
	for _, pod := range s.joined.Newest().Pods {
		o := pod.Object
		if o.Labels["app"] == app && o.DeletionTimestamp == nil && (node == "" || o.Spec.NodeName == node) {
			return []model.Ref{pod.Ref()}
		}
	}
	return nil
}

// ofPod is an action to a pod that the dashboard lists.
func ofPod(app, node string, wish func([]model.Ref) plan.Action) studentAction {
	return func(s *stage) {
		s.Helper()
		s.do(func() plan.Action {
			refs := s.podOf(app, node)
			if refs == nil {
				return nil
			}
			return wish(refs)
		})
	}
}

func evict(app, node string) studentAction {
	return ofPod(app, node, func(pods []model.Ref) plan.Action { return plan.Evict{Pods: pods} })
}

func ungate(app string) studentAction {
	return ofPod(app, "", func(pods []model.Ref) plan.Action { return plan.Ungate{Pods: pods} })
}

func remove(app string) studentAction {
	return ofPod(app, "", func(pods []model.Ref) plan.Action { return plan.Delete{Pod: pods[0]} })
}

// until is an action that waits for the cluster, as a student does who looks.
func until(expression string) studentAction {
	return func(s *stage) {
		s.Helper()
		s.awaitThat(expression)
	}
}
