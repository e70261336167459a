package act

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

func TestNodesAreEmptiedAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("a"), running("b", on("n2")), running("c", on("n3")))
		a := w.begin(ends{how: plan.Evicted, nodes: []string{"n3", "n1", "n2"}, atOnce: 1})
		defer a.Close()
		for i, name := range []string{"c", "a", "b"} {
			time.Sleep(time.Second)
			if w.evictions(name) != 1 || w.evictions("a")+w.evictions("b")+w.evictions("c") != i+1 {
				t.Errorf("after %d nodes: %+v", i, states(a))
			}
			time.Sleep(time.Second + pollEvery) // a pod takes 2 s to end, and the job sees it at its next look
		}
	})
}

func TestAJobTellsWhereThePodsCameBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart-a", of("ReplicaSet", "cart")), running("cart-x", of("ReplicaSet", "cart"), on("n2")), running("db-0", of("StatefulSet", "db")), running("bare"))
		wish := ends{how: plan.Evicted, nodes: []string{"n1", "n2"}, atOnce: 1}
		a := w.begin(wish)
		defer a.Close()
		time.Sleep(time.Second)
		w.add(running("cart-b", of("ReplicaSet", "cart"), on("")))
		w.add(running("other-0", of("StatefulSet", "db"), on("n2")))
		time.Sleep(time.Second)
		if s := states(a); s["cart-a"].Back.Name != "cart-b" || s["cart-a"].BackNode != "" || s["db-0"].Back.Name != "" {
			t.Errorf("with a Pending successor: %+v", s)
		}
		time.Sleep(time.Second)
		w.add(running("db-0", of("StatefulSet", "db"), on("n3"), func(p *corev1.Pod) { p.UID = types.UID("uid-new") }))
		bound := w.pod("cart-b")
		bound.Spec.NodeName = "n3"
		w.update(bound)
		time.Sleep(time.Second)
		if s := states(a); s["cart-a"].BackNode != "n3" || s["db-0"].BackNode != "n3" || s["bare"].Back.Name != "" {
			t.Errorf("with successors on nodes: %+v", s)
		}
		w.remove("cart-b")
		time.Sleep(time.Second)
		if p := states(a)["cart-a"]; p.Back.Name != "" {
			t.Errorf("a successor that has gone counts: %+v", p)
		}
	})
}

func TestAPodThatWillNotGoKeepsNoNodeWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("a"), running("b", on("n2")))
		w.refuse = func(pod string, _ int) error {
			if pod == "a" {
				return apierrors.NewBadRequest("no")
			}
			return nil
		}
		a := w.begin(ends{how: plan.Evicted, nodes: []string{"n1", "n2"}, atOnce: 1})
		defer a.Close()
		time.Sleep(5 * time.Second)
		if e := a.Activity()[0]; e.Result != "1 of 2 evicted, 1 rejected" || e.OK {
			t.Errorf("the activity log says %+v", e)
		}
	})
}

func TestPodsOfOneBudgetFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("a", of("ReplicaSet", "cart")), running("b", of("ReplicaSet", "cart")), running("c", of("ReplicaSet", "cart")))
		allowed := time.Now().Add(2 * time.Minute) // by then they wait half a minute each
		w.refuse = func(string, int) error {
			if time.Now().Before(allowed) {
				return budgetRefuses()
			}
			allowed = time.Now().Add(4 * time.Second) // until its successor is ready
			return nil
		}
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(2*time.Minute + longestPause + 2*firstPause + 5*time.Second)
		if job := a.Jobs()[0]; job.State != plan.JobDone {
			t.Errorf("the job is %+v", job)
		}
	})
}

func TestPodsThatCameAfterThePlanAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("a"))
		w.nodes = []string{"n1"}
		a := w.begin(ends{how: plan.Evicted, nodes: []string{"n1"}})
		defer a.Close()
		w.add(running("late"))
		w.add(running("agent", of("DaemonSet", "agent")))
		w.add(running("elsewhere", on("n2")))
		time.Sleep(5 * time.Second)
		if job := a.Jobs()[0]; job.State != plan.JobDone || job.Why != "1 pod started on n1 after the plan was made: drain again" {
			t.Errorf("the job is %+v", job)
		}
		if e := a.Activity()[0]; e.OK || e.Result != "1 of 1 evicted; 1 pod started on n1 after the plan was made: drain again" {
			t.Errorf("the activity log says %+v", e)
		}
	})
}

func TestANodeThatSomebodyElseUncordonsIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("a"))
		w.nodes, w.refuse = []string{"n1"}, always(budgetRefuses())
		a := w.begin(ends{how: plan.Evicted, nodes: []string{"n1"}})
		defer a.Close()
		for _, step := range []struct {
			cordoned bool
			why      string
		}{
			{false, ""}, // the cordon has not been seen yet
			{true, ""},
			{false, "n1 was uncordoned meanwhile: pods may be scheduled there again"},
			{true, ""},
		} {
			w.cordon("n1", step.cordoned)
			time.Sleep(time.Second)
			if job := a.Jobs()[0]; job.Why != step.why || job.State != plan.JobRuns {
				t.Errorf("cordoned %t: the job is %s, %q", step.cordoned, job.State, job.Why)
			}
		}
	})
}
