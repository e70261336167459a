package act

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clienttesting "k8s.io/client-go/testing"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// moods are what a server may say to a request before it accepts one.
var moods = []error{
	budgetRefuses(),
	apierrors.NewTooManyRequests("wait", 3),
	apierrors.NewInternalError(errors.New("webhook")),
	apierrors.NewConflict(podsResource.GroupResource(), "p", errors.New("changed")),
	apierrors.NewForbidden(podsResource.GroupResource(), "p", errors.New("no")),
	context.DeadlineExceeded,
	errors.New("connection refused"),
}

// course is one course of events of a job.
type course struct {
	pods    [][]error // what the server says to each, one after the other, before it accepts
	stuck   []bool
	orders  []int // one every seven seconds: nothing, pause, go on, lose the connection, find it
	stopped bool  // after the orders
}

func anyCourse(t *rapid.T) course {
	said := rapid.SliceOfN(rapid.SampledFrom(moods), 0, 4)
	c := course{pods: rapid.SliceOfN(said, 1, 12).Draw(t, "pods")}
	c.stuck = rapid.SliceOfN(rapid.Bool(), len(c.pods), len(c.pods)).Draw(t, "stuck")
	c.orders = rapid.SliceOfN(rapid.IntRange(0, 4), 0, 6).Draw(t, "orders")
	c.stopped = rapid.Bool().Draw(t, "stopped")
	return c
}

func TestWhateverHappensAJob(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		course := anyCourse(rt)
		var wrong []string
		synctest.Test(t, func(t *testing.T) { wrong = course.run(t) })
		for _, words := range wrong {
			rt.Errorf("%s", words)
		}
	})
}

// run lets the job run through the course, and gives what went wrong.
func (c course) run(t *testing.T) (wrong []string) {
	var mu sync.Mutex
	fault := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	w := newWorld(t)
	for i, stuck := range c.stuck {
		w.add(running(fmt.Sprintf("p%d", i), of("ReplicaSet", "cart"), func(p *corev1.Pod) {
			if stuck {
				p.Finalizers = []string{"example.com/hold"}
			}
		}))
	}
	var quiet atomic.Bool // nothing may be asked
	w.refuse = func(pod string, n int) error {
		var i int
		if _, err := fmt.Sscanf(pod, "p%d", &i); err != nil {
			return err
		}
		if quiet.Load() {
			fault("%s was asked while nothing may be", pod)
		}
		if w.pod(pod).DeletionTimestamp != nil {
			fault("%s was asked while it terminates", pod)
		}
		if n <= len(c.pods[i]) {
			return c.pods[i][n-1]
		}
		return nil
	}
	a := w.begin(ends{how: plan.Evicted})
	defer a.Close()
	var paused, lost bool
	for _, order := range c.orders {
		time.Sleep(7 * time.Second)
		quiet.Store(false)
		switch order {
		case 1, 2:
			paused = order == 1
			a.Pause(1, paused)
		case 3, 4:
			lost = order == 3
			w.lose(lost)
		}
		synctest.Wait()
		time.Sleep(pollEvery)
		quiet.Store(paused || lost)
	}
	quiet.Store(false) // before the job goes on, which asks at once
	w.lose(false)
	a.Pause(1, false)
	if c.stopped {
		a.Stop(1)
		time.Sleep(pollEvery)
		quiet.Store(true)
	}
	time.Sleep(2 * time.Minute)
	c.check(a, w, fault)
	return wrong
}

// check looks at the end.
func (c course) check(a *Actor, w *world, fault func(string, ...any)) {
	for _, p := range w.pods() {
		if len(p.Finalizers) > 0 && p.DeletionTimestamp != nil {
			if s := states(a)[p.Name]; s.State != plan.PodTerminating || s.Help == "" {
				fault("%s terminates and is %+v", p.Name, s)
			}
			w.remove(p.Name)
		}
	}
	time.Sleep(time.Second)
	job := a.Jobs()[0]
	if job.Over.IsZero() || job.Live() {
		fault("the job is %s, over at %s", job.State, job.Over)
	}
	for i, p := range job.Pods {
		there := w.pod(p.Pod.Name) != nil
		switch {
		case p.State == plan.PodGone && !there, p.State == plan.PodLeft && there && c.stopped, p.State == plan.PodFailed && there:
		default:
			fault("pod %d is %s and there: %v", i, p.State, there)
		}
	}
	for _, action := range w.client.Actions() {
		if action.GetVerb() == "delete" {
			fault("a pod was deleted: %v", action.(clienttesting.DeleteAction).GetName())
		}
	}
}
