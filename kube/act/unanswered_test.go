package act

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// What was requested of the server and not answered is not called "not evicted" where a job is stopped.
func TestAStopSaysWhatItDoesNotKnow(t *testing.T) {
	for name, test := range map[string]struct {
		does   bool // the server does what it did not answer, after a moment
		after  time.Duration
		at     plan.PodState // when the job was stopped
		end    plan.PodState
		result string
	}{
		"the server did nothing":               {false, time.Second, plan.PodUnknown, plan.PodLeft, "0 of 1 evicted, stopped"},
		"the server did it":                    {true, time.Second, plan.PodUnknown, plan.PodGone, "1 of 1 evicted, stopped"},
		"it was requested a good while before": {false, firstPause + untilSeen + time.Second, plan.PodLeft, plan.PodLeft, "0 of 1 evicted, stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, running("a"))
				w.refuse = func(pod string, _ int) error {
					if test.does {
						time.AfterFunc(2*time.Second, func() {
							uid := w.pod(pod).UID
							if err := w.end(pod, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}); err != nil {
								t.Error(err)
							}
						})
					}
					return context.DeadlineExceeded
				}
				a := w.begin(ends{how: plan.Evicted})
				defer a.Close()
				time.Sleep(test.after - pollEvery/2)
				a.Stop(1)
				synctest.Wait()
				if s := states(a)["a"]; s.State != test.at || s.State == plan.PodUnknown && s.Said != "no answer in time" {
					t.Errorf("after the stop: %+v", s)
				}
				time.Sleep(2 * untilSeen)
				job, did := a.Jobs()[0], a.Activity()[0]
				if job.Over.IsZero() || job.Pods[0].State != test.end || did.Result != test.result || did.OK != (test.end == plan.PodGone) {
					t.Errorf("in the end: %+v, %+v", job, did)
				}
			})
		})
	}
}

func TestAClosedActorWaitsALittleForAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		answers time.Duration // after this time
		state   plan.PodState
		result  string
		took    time.Duration
	}{
		"that come":      {time.Second, plan.PodAsked, "0 of 1 evicted, stopped", time.Second},
		"that come late": {time.Hour, plan.PodUnknown, "0 of 1 evicted, 1 unknown, stopped", lastAnswers},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDrained(t, []string{"n1"}, running("a"))
				d.hold = make(chan struct{})
				d.does(plan.Drain{Nodes: []string{"n1"}})
				time.Sleep(pollEvery)
				began := time.Now()
				timer := time.AfterFunc(test.answers, func() { close(d.hold) })
				d.a.Close()
				timer.Stop()
				job, did := d.a.Jobs()[0], d.a.Activity()[0]
				if took := time.Since(began); took != test.took || job.Why != "fathom exited" || job.Pods[0].State != test.state || did.Result != test.result {
					t.Errorf("after %s: %+v, %+v", took, job, did)
				}
			})
		})
	}
}

func TestNothingIsRequestedOnceAnActorIsBeingClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("a"))
		d.does(plan.Drain{Nodes: []string{"n1"}})
		confirmed := d.a.jobs.jobs[0]
		withdrawn := func() bool { return d.a.jobs.ordersFor(confirmed).withdrawn() }
		if withdrawn() {
			t.Error("a job that runs may send nothing")
		}
		d.a.Close()
		if !withdrawn() {
			t.Error("a job of a closed Actor may send something")
		}
	})
}
