package lessons_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
)

// walk is how a lesson is taken.
type walk struct {
	lesson  string
	actions map[int][]studentAction // by step, counted from 1; the others need none
	shows   map[int]string          // what the right answer before claims, where no until says it; after the actions
	wrong   studentAction           // at the last step that can be come to without an action
	spoils  bool                    // the wrong action ends the lesson
}

var walks = []walk{
	{lesson: "requests", actions: map[int][]studentAction{4: {uncordon("std-a-02")}}, wrong: evict("api", ""), spoils: true},
	{
		lesson: "qos", actions: map[int][]studentAction{3: {evict("scratch", "")}},
		shows: map[int]string{3: "running.size() == 2"}, // what a kubelet evicts is not to be seen here
		wrong: evict("web", ""), spoils: true,
	},
	{
		lesson: "selectors", actions: map[int][]studentAction{2: {label("std-a-03", "disktype", "ssd")}},
		wrong: label("std-a-01", "disktype", "ssd"), spoils: true,
	},
	{
		lesson: "taint-effects",
		actions: map[int][]studentAction{
			3: {taint("gpu-a-01", "dedicated", "gpu", corev1.TaintEffectNoSchedule)},
			4: {evict("front", "gpu-a-01"), until("running.filter(p, p.node == 'gpu-a-01').size() == 2"), evict("front", "gpu-a-01"), until("running.filter(p, p.node == 'gpu-a-01').size() == 1"), evict("front", "gpu-a-01")},
		},
		shows: map[int]string{3: "running.filter(p, p.node == 'gpu-a-01').size() == 3 && ended.size() == 0"},
		wrong: evict("front", "gpu-a-01"), // it comes back
	},
	{lesson: "host-ports", actions: map[int][]studentAction{3: {remove("debug")}}, wrong: remove("syslog"), spoils: true},
	{
		lesson: "fragmentation",
		actions: map[int][]studentAction{3: {
			cordon("std-a-01"), evict("web", "std-a-01"),
			until("running.filter(p, p.app == 'web' && p.node != 'std-a-01').size() == 3"), uncordon("std-a-01"),
		}},
		wrong: evict("db", ""), spoils: true,
	},
	{
		lesson: "noexecute", actions: map[int][]studentAction{3: {taint("std-a-01", "repair", "tonight", corev1.TaintEffectNoExecute)}},
		shows: map[int]string{3: "running.filter(p, p.node == 'std-a-01').size() == 1"},
		wrong: taint("std-a-01", "repair", "tonight", corev1.TaintEffectNoSchedule),
	},
	{
		lesson: "dedicated-nodes",
		actions: map[int][]studentAction{2: {
			taint("pay-a-01", "dedicated", "payments", corev1.TaintEffectNoSchedule), label("pay-a-01", "pool", "payments"),
		}},
		wrong: label("pay-a-01", "pool", "payments"), spoils: true, // web leaks in
	},
	{lesson: "node-failure", actions: map[int][]studentAction{3: {evict("checkout", "")}}, wrong: cordon("std-b-01")},
	{lesson: "anti-affinity", actions: map[int][]studentAction{2: {uncordon("std-c-03")}}, wrong: evict("front", "std-a-01"), spoils: true},
	{
		lesson: "spread", actions: map[int][]studentAction{2: {label("std-c-01", corev1.LabelTopologyZone, "eu-1c")}},
		wrong: label("std-c-01", corev1.LabelTopologyZone, "eu-1a"), spoils: true,
	},
	{
		lesson: "blocked-drain", actions: map[int][]studentAction{2: {
			scale("shop", "cart", 3), until("running.size() == 3"), drain("std-a-01"),
		}},
		wrong: drain("std-a-01"),
	},
	{lesson: "preemption", actions: map[int][]studentAction{4: {scale("shop", "batch", 4)}}, wrong: evict("pay", ""), spoils: true},
	{
		lesson: "quota", actions: map[int][]studentAction{
			6: {scale("team", "web", 0), until("!running.exists(p, p.app == 'web')"), restart("team", "api")},
		},
		shows: map[int]string{5: "running.filter(p, p.app == 'api').size() == 1"},
		wrong: scale("team", "api", 1), spoils: true,
	},
	{
		lesson: "non-preempting", actions: map[int][]studentAction{4: {evict("batch", "std-a-01")}},
		shows: map[int]string{4: "running.exists(p, p.app == 'model')"},
		wrong: scale("ml", "batch", 3), spoils: true,
	},
	{
		lesson: "volume-zone", actions: map[int][]studentAction{3: {drain("std-b-01")}, 4: {uncordon("std-b-02")}},
		shows: map[int]string{3: "unschedulable.exists(p, p.app == 'db')"},
		wrong: evict("db", ""), // it comes back to where it was
	},
	{lesson: "gates", actions: map[int][]studentAction{2: {ungate("report"), remove("stray")}}, wrong: remove("report"), spoils: true},
	{
		lesson: "scoring", actions: map[int][]studentAction{3: {label("std-a-02", "disktype", "ssd")}, 5: {scale("search", "index", 2)}},
		shows: map[int]string{3: "running.exists(p, p.node == 'std-a-03')", 5: "running.exists(p, p.node == 'std-a-02')"},
		wrong: label("std-a-01", "disktype", "ssd"), spoils: true,
	},
}

func TestEachLessonIsWalkedToItsGoal(t *testing.T) {
	for _, w := range walks {
		t.Run(w.lesson, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			s := begin(t, w.lesson)
			for step := range s.lesson.Steps {
				w.take(s, step)
			}
			s.await("the goal is reached", func(state lessons.State) bool { return state.Reached })
			if state, _ := s.State(); state.Failed || state.Trouble != "" || state.Asked != state.Right || state.Asked == 0 {
				t.Errorf("at the end failed is %v, %d of %d answers were right, trouble is %q", state.Failed, state.Right, state.Asked, state.Trouble)
			}
			t.Logf("walked in %v", time.Since(begun).Round(time.Second))
		})
	}
}

// take takes a step: what its right answer claims must not hold before, and has to
// hold after.
func (w *walk) take(s *stage, index int) {
	s.Helper()
	step := &s.lesson.Steps[index]
	last := index == len(s.lesson.Steps)-1
	if step.Predict != nil {
		if step.Until == "" && w.shows[index+2] == "" {
			s.Fatalf("step %d foretells nothing that can be looked at", index+1)
		}
		if len(w.actions[index+1]) > 0 {
			s.Fatalf("step %d asks and wants an action: the answer stands where it said which", index+1)
		}
		time.Sleep(500 * time.Millisecond) // a scheduler that is not held would act
		if step.Until != "" && s.holds(step.Until) {
			s.Errorf("step %d: what is asked has come to be before the answer", index+1)
		}
		s.Answer(step.Predict.Right)
	}
	if state, _ := s.State(); state.Reached {
		s.Fatalf("the goal is reached before step %d", index+1)
	}
	if last && len(w.actions[index+1]) > 0 {
		time.Sleep(time.Second)
		if s.holds(s.lesson.Goal.When) {
			s.Error("the goal holds before anything is done")
		}
	}
	for _, do := range w.actions[index+1] {
		do(s)
	}
	if !last {
		s.await("the step is done", func(state lessons.State) bool { return state.Ready })
	}
	if shown := w.shows[index+1]; shown != "" {
		s.awaitThat(shown)
	}
	if !last {
		if err := s.Next(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
}

// idle answers and goes on for as long as something happens by itself, and longer
// than the faults take.
func idle(s *stage, quiet time.Duration) {
	s.Helper()
	for still := time.Now(); time.Since(still) < quiet || !s.Settled(); time.Sleep(100 * time.Millisecond) {
		state, _ := s.State()
		step := s.lesson.Steps[state.Step]
		switch {
		case state.Reached || state.Failed:
			return
		case step.Predict != nil && state.Answered == 0:
			s.Answer(len(step.Predict.Answers)) // mostly a wrong one
		case state.Ready && state.Step+1 < len(s.lesson.Steps):
			if err := s.Next(s.Context()); err != nil {
				s.Fatal(err)
			}
		default:
			continue
		}
		still = time.Now()
	}
}

// overIt is how long a lesson is left alone after a wrong action: longer than any
// tolerationSeconds after which it evicts pods. Kubernetes' taint eviction controller
// counts an eviction as running without regard for who waits for all of them, so none may
// begin while it stops.
const overIt = 10 * time.Second

func TestNoLessonIsReachedByWaitingOrByAWrongAction(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 s: each lesson is left alone for 10 s, and for more after a wrong action")
	}
	for _, w := range walks {
		t.Run(w.lesson, func(t *testing.T) {
			t.Parallel()
			s := begin(t, w.lesson)
			idle(s, 10*time.Second)
			if state, _ := s.State(); state.Reached || state.Failed || state.Trouble != "" {
				t.Fatalf("without an action reached is %v, failed %v, trouble %q", state.Reached, state.Failed, state.Trouble)
			}
			w.wrong(s)
			if w.spoils {
				idle(s, 3*time.Second)
				s.await("it has failed", func(state lessons.State) bool { return state.Failed || state.Reached })
			} else {
				idle(s, overIt)
			}
			if state, _ := s.State(); state.Reached || state.Failed != w.spoils {
				t.Errorf("after a wrong action reached is %v, failed %v", state.Reached, state.Failed)
			}
		})
	}
}

func TestEveryLessonIsWalked(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, lesson := range all {
		if i >= len(walks) || walks[i].lesson != lesson.Name {
			t.Fatalf("lesson %d, %s, is not walked in its place", i+1, lesson.Name)
		}
	}
}
