package lessons_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
)

// Who goes to the last step comes through all that are before it.
func TestEachStepCanBeGoneToAndReachesNoGoal(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 25 s: a cluster for each lesson goes through all of its steps")
	}
	for _, w := range walks {
		t.Run(w.lesson, func(t *testing.T) {
			t.Parallel()
			s := beginAt(t, w.lesson, 0)
			last := len(s.lesson.Steps) - 1
			s.Answer(1) // nothing can be answered on the way
			s.Hint()
			if err := s.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.await("the last step begins", func(state lessons.State) bool { return state.GoingTo == 0 && state.Step == last })
			time.Sleep(2 * time.Second)
			state, _ := s.State()
			if state.Reached || state.Failed || len(state.Unfinished) > 0 || state.Trouble != "" {
				t.Fatalf("by going there reached is %v, failed %v, unfinished are %v, trouble is %q", state.Reached, state.Failed, state.Unfinished, state.Trouble)
			}
			if state.Asked != 0 || state.Right != 0 || state.Hints != 0 || !state.Led {
				t.Errorf("who goes to a step answers nothing, and a trainer leads: %+v", state)
			}
			w.take(s, last)
			s.await("the goal is reached from there", func(state lessons.State) bool { return state.Reached })
		})
	}
}

func TestAStepInTheMiddleBeginsAsItDoesByItself(t *testing.T) {
	t.Parallel()
	s := beginAt(t, "taint-effects", 2)
	s.await("step 2 begins", func(state lessons.State) bool { return state.GoingTo == 0 && state.Step == 1 })
	if !s.holds("running.filter(p, p.node == 'gpu-a-01').size() == 3") {
		t.Error("what step 1 ends with does not hold")
	}
	if state, _ := s.State(); state.Answered != 0 {
		t.Error("its own question is answered already")
	}
	s.Answer(1)
	s.await("it goes on as ever", func(state lessons.State) bool { return state.Ready && state.Asked == 1 })
}

func TestAStepThatDoesNotExistIsRefused(t *testing.T) {
	lesson, _, err := lessons.Named("qos")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{-1, 0, len(lesson.Steps) + 1} {
		_, err := lessons.BeginAt(t.Context(), lesson, nil, clock.RealClock{}, step)
		if want := fmt.Sprintf("start lesson qos: step %d does not exist, it has 3 steps", step); err == nil || err.Error() != want {
			t.Errorf("step %d: %v", step, err)
		}
	}
}

// onNode is the first node of the lesson noexecute, onWeb a workload there.
var (
	onNode = lessons.Target{Node: "std-a-01", Zone: "eu-1a"}
	onWeb  = lessons.Target{Namespace: "shop", Kind: "Deployment", Name: "web"}
)

// nodeThat is an expression over the node that faults are injected into.
func nodeThat(says string) string {
	return "nodes.exists(n, n.metadata.name == 'std-a-01' && " + says + ")"
}

const (
	silent  = "has(n.status.conditions) && n.status.conditions.exists(c, c.type == 'Ready' && c.status == 'Unknown')"
	failed  = "has(n.status.conditions) && n.status.conditions.exists(c, c.type == 'Ready' && c.status == 'False')"
	ready   = "has(n.status.conditions) && n.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"
	tainted = "has(n.spec.taints) && n.spec.taints.exists(t, t.key == '%s')"
)

var faults = []struct {
	name  string
	on    lessons.Target
	then  []studentAction // what shows it
	shows string
	back  string
}{
	{"not-ready", onNode, nil, nodeThat(failed) + " && " + nodeThat(fmt.Sprintf(tainted, "node.kubernetes.io/not-ready")), nodeThat(ready)},
	{"silent", onNode, nil, nodeThat(silent), nodeThat(ready)},
	{"zone-lost", onNode, nil, nodeThat(silent) + " && nodes.exists(n, n.metadata.name == 'std-b-01' && " + ready + ")", nodeThat(ready)},
	{
		"pressure", onNode, nil, nodeThat(fmt.Sprintf(tainted, "node.kubernetes.io/memory-pressure")),
		nodeThat("!(" + fmt.Sprintf(tainted, "node.kubernetes.io/memory-pressure") + ")"),
	},
	{"cordon", onNode, nil, nodeThat("has(n.spec.unschedulable) && n.spec.unschedulable"), nodeThat("!has(n.spec.unschedulable)")},
	{"taint", onNode, nil, nodeThat(fmt.Sprintf(tainted, "class")) + " && ended.size() == 0", nodeThat("!(" + fmt.Sprintf(tainted, "class") + ")")},
	{
		"noexecute", onNode, nil, "ended.exists(e, e.app == 'web' && e.how == 'DeletionByTaintManager')",
		nodeThat("!("+fmt.Sprintf(tainted, "class")+")") + " && running.exists(p, p.app == 'web')",
	},
	{"no-zone", onNode, nil, nodeThat("!('topology.kubernetes.io/zone' in n.metadata.labels)"), nodeThat("'topology.kubernetes.io/zone' in n.metadata.labels")},
	{
		"burst", onNode, nil, "running.filter(p, p.app == 'urgent-std-a-01').size() == 3 && ended.exists(e, e.how == 'PreemptionByScheduler')",
		"!pods.exists(p, p.metadata.labels.app == 'urgent-std-a-01')",
	},
	{"too-large", lessons.Target{}, nil, "unschedulable.exists(p, p.app == 'too-large')", "!pods.exists(p, p.metadata.labels.app == 'too-large')"},
	{
		"budget", onWeb, nil, "poddisruptionbudgets.exists(b, b.metadata.name == 'none-of-web' && has(b.status) && b.status.currentHealthy == 1 && b.status.disruptionsAllowed == 0)",
		"poddisruptionbudgets.size() == 0",
	},
	{
		"quota", onWeb,
		// A quota counts once the API server knows of it, which is a moment after its creation.
		[]studentAction{until("resourcequotas.exists(q, has(q.status) && has(q.status.used))"), evict("web", "")},
		"deployments.exists(d, d.metadata.name == 'web' && has(d.status.conditions) && d.status.conditions.exists(c, c.type == 'ReplicaFailure'))",
		"running.exists(p, p.app == 'web')",
	},
	{
		"no-image", onWeb, nil, "pods.exists(p, p.metadata.labels.app == 'web' && p.spec.containers[0].image == 'web:missing' && has(p.spec.nodeName))",
		"pods.filter(p, p.metadata.labels.app == 'web').size() == 1 && running.exists(p, p.app == 'web')",
	},
}

func TestEachFaultShowsAndIsRemoved(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 10 s: a cluster for each fault, which shows only after a while")
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, "noexecute")
			s.awaitThat("running.size() == 3")
			trainer, err := lessons.NewTrainer(s.embedded, s.Run)
			if err != nil {
				t.Fatal(err)
			}
			if err := trainer.Inject(t.Context(), f.name, f.on); err != nil {
				t.Fatal(err)
			}
			for _, do := range f.then {
				do(s)
			}
			s.awaitThat(f.shows)
			on := trainer.Active()
			if len(on) != 1 || strings.Contains(on[0].Says, "$") || strings.Contains(on[0].Says, "a node") {
				t.Fatalf("on are %v", on)
			}
			if state, _ := s.State(); !state.Led {
				t.Error("the lesson does not know that a trainer helped")
			}
			if err := trainer.Remove(t.Context(), on[0].ID); err != nil {
				t.Fatal(err)
			}
			s.awaitThat(f.back)
			if err := trainer.Remove(t.Context(), on[0].ID); err == nil || len(trainer.Active()) > 0 {
				t.Errorf("it is removed twice (%v); active are %v", err, trainer.Active())
			}
		})
	}
}

func TestEveryFaultIsTried(t *testing.T) {
	trainer, err := lessons.NewTrainer(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	available := trainer.Available(lessons.Target{})
	for i, offer := range available {
		if i >= len(faults) || faults[i].name != offer.Name {
			t.Fatalf("fault %d, %s, is not tried in its place", i+1, offer.Name)
		}
		if len(offer.Says) > 60 || strings.Contains(offer.Says, "$") || offer.Has != (offer.Takes == lessons.OnCluster) {
			t.Errorf("without a target it is offered as %+v", offer)
		}
		full := trainer.Available(lessons.Target{Node: "std-a-01", Zone: "eu-1a", Namespace: "shop", Kind: "Deployment", Name: "checkout"})[i]
		if !full.Has || len(full.Says) > 60 {
			t.Errorf("with a target it is offered as %+v", full)
		}
	}
}

func TestFaultsThatCannotBeInjectedOrRemovedSayWhy(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 12 s: faults are injected and removed one after the other")
	}
	t.Parallel()
	s := begin(t, "node-failure")
	s.await("both run", func(state lessons.State) bool { return state.Ready })
	trainer, err := lessons.NewTrainer(s.embedded, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	inject := func(name string, on lessons.Target) string {
		if err := trainer.Inject(t.Context(), name, on); err != nil {
			return err.Error()
		}
		return ""
	}
	for _, test := range []struct {
		name string
		on   lessons.Target
		want string
	}{
		{"nothing", onNode, "inject fault nothing: no such fault"},
		{"lesson-7", onNode, "inject fault lesson-7: no such fault"},
		{"cordon", onWeb, "inject fault cordon: it needs a node"},
		{"no-image", lessons.Target{Namespace: "shop", Kind: "Job", Name: "x"}, "inject fault no-image: it needs a deployment"},
		{"cordon", lessons.Target{Node: "gone"}, `inject fault cordon: nodes "gone" not found`},
		{"budget", lessons.Target{Namespace: "shop", Kind: "StatefulSet", Name: "gone"}, `inject fault budget: statefulsets.apps "gone" not found`},
		{"budget", lessons.Target{Namespace: "shop", Kind: "Deployment", Name: "cart"}, ""},
		{"budget", lessons.Target{Namespace: "shop", Kind: "Deployment", Name: "cart"}, "inject fault budget: PodDisruptionBudget none-of-cart already selects its pods"},
		{"cordon", onNode, ""},
		{"cordon", onNode, "inject fault cordon: cordon std-a-01: already done"},
		{"too-large", onNode, ""},
		{"too-large", onNode, `inject fault too-large: create Deployment: deployments.apps "too-large" already exists`},
	} {
		if got := inject(test.name, test.on); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if on := trainer.Active(); len(on) != 3 {
		t.Errorf("on are %v", on)
	}
	if err := trainer.Remove(t.Context(), 9); err == nil || err.Error() != "remove fault: it is no longer active" {
		t.Errorf("a fault that is not active is removed: %v", err)
	}
}

func TestALessonsOwnFaultIsInjectedBeforeItsTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 15 s: a node is found not ready only after its grace period")
	}
	t.Parallel()
	s := begin(t, "node-failure")
	s.await("both run", func(state lessons.State) bool { return state.Ready })
	trainer, err := lessons.NewTrainer(s.embedded, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	if available := trainer.Available(onNode); available[0].Name != "lesson-1" || available[0].Says != "The kubelet of std-a-01 stopped responding." || !available[0].Has {
		t.Fatalf("first offered is %+v", available[0])
	}
	if err := trainer.Inject(t.Context(), "lesson-1", onNode); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Inject(t.Context(), "lesson-1", onNode); !errors.Is(err, lessons.ErrAlreadyDone) {
		t.Errorf("it is injected twice: %v", err)
	}
	if state, _ := s.State(); len(state.Faults) != 1 || !state.Led {
		t.Errorf("the lesson tells %v", state.Faults)
	}
	s.awaitThat(nodeThat(silent))
	on := trainer.Active()
	if len(on) != 1 {
		t.Fatalf("on are %v", on)
	}
	if err := trainer.Remove(t.Context(), on[0].ID); err != nil {
		t.Fatal(err)
	}
	s.awaitThat(nodeThat(ready))
	if state, _ := s.State(); len(state.Faults) != 0 || len(trainer.Active()) != 0 {
		t.Errorf("the lesson tells %v", state.Faults)
	}
	if err := trainer.Remove(t.Context(), on[0].ID); err == nil {
		t.Error("it is removed twice")
	}
}
