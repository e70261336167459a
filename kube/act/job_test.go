package act

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// once refuses the first request with err.
func once(err error) func(string, int) error {
	return func(_ string, n int) error {
		if n == 1 {
			return err
		}
		return nil
	}
}

func always(err error) func(string, int) error {
	return func(string, int) error { return err }
}

func TestAPodOfAJob(t *testing.T) {
	pods := podsResource.GroupResource()
	namespaceEnds := apierrors.NewForbidden(pods, "cart", errors.New("the namespace is being terminated"))
	namespaceEnds.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	policy := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Message: "admission webhook denied the request: not today"}}
	several := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "This pod has more than one PodDisruptionBudget"}}
	for _, test := range []struct {
		says      string
		refuse    func(string, int) error
		after     time.Duration
		state     plan.PodState
		evictions int
		said      string
		help      string
		result    string
	}{
		{"is asked once and gone after its grace period", nil, 3 * time.Second, plan.PodGone, 1, "", "", "1 of 1 evicted"},
		{"is not gone while it terminates", nil, time.Second, plan.PodTerminating, 1, "", "", "running"},
		{
			"is refused by its budget, with the server's whole words", always(budgetRefuses()), time.Second, plan.PodBlocked, 1,
			"Cannot evict pod as it would violate the pod's disruption budget. The disruption budget cart needs 3 healthy pods and has 3 currently", "", "running",
		},
		{"is asked again after five seconds", once(budgetRefuses()), 8 * time.Second, plan.PodGone, 2, "", "", "1 of 1 evicted"},
		{"is asked again after growing pauses", always(budgetRefuses()), time.Minute, plan.PodBlocked, 5, "Cannot evict", "", "running"},
		{"is asked again when the server wants", once(apierrors.NewTooManyRequests("wait", 20)), 15 * time.Second, plan.PodBlocked, 1, "wait", "", "running"},
		{
			"is not asked again where a right lacks", always(apierrors.NewForbidden(pods, "cart", errors.New("no"))), time.Minute, plan.PodFailed, 1,
			"is forbidden", "ask for permission to create pods/eviction in shop", "0 of 1 evicted, 1 rejected",
		},
		{"is not asked again where a policy forbids", always(policy), time.Minute, plan.PodFailed, 1, "not today", "a cluster policy forbids it", "0 of 1 evicted, 1 rejected"},
		{"is not asked again where several budgets select it", always(several), time.Minute, plan.PodFailed, 1, "more than one", "keep only one PodDisruptionBudget", "0 of 1 evicted, 1 rejected"},
		{"is not asked again where the request is wrong", always(apierrors.NewBadRequest("no such")), time.Minute, plan.PodFailed, 1, "no such", "do what the message says", "0 of 1 evicted, 1 rejected"},
		{"is asked again where a webhook has trouble", once(apierrors.NewInternalError(errors.New("webhook"))), 8 * time.Second, plan.PodGone, 2, "", "", "1 of 1 evicted"},
		{"is asked again where no answer came", once(fmt.Errorf("post: %w", context.DeadlineExceeded)), 8 * time.Second, plan.PodGone, 2, "", "", "1 of 1 evicted"},
		{"waits where no answer came, and says so", always(context.DeadlineExceeded), time.Second, plan.PodWaits, 1, "no answer in time", "", "running"},
		{"is asked again where the connection broke", once(errors.New("connection refused")), 8 * time.Second, plan.PodGone, 2, "", "", "1 of 1 evicted"},
		{"is asked again where another was quicker", once(apierrors.NewConflict(pods, "cart", errors.New("changed"))), 8 * time.Second, plan.PodGone, 2, "", "", "1 of 1 evicted"},
		{"is asked again until its namespace has ended it", once(namespaceEnds), 8 * time.Second, plan.PodGone, 2, "", "", "1 of 1 evicted"},
	} {
		t.Run(test.says, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, running("cart"))
				w.refuse = test.refuse
				a := w.begin(ends{how: plan.Evicted})
				defer a.Close()
				time.Sleep(test.after)
				p := states(a)["cart"]
				if p.State != test.state || !strings.Contains(p.Said, test.said) || !strings.Contains(p.Help, test.help) || (p.Help == "") != (test.help == "") {
					t.Errorf("the pod is %+v", p)
				}
				if test.state == plan.PodBlocked && !p.Again.After(time.Now()) {
					t.Errorf("it is asked again at %s", p.Again)
				}
				if n := w.evictions("cart"); n != test.evictions {
					t.Errorf("%d evictions were asked for, want %d", n, test.evictions)
				}
				if got := a.Activity()[0].Result; got != test.result {
					t.Errorf("the activity log says %q, want %q", got, test.result)
				}
			})
		})
	}
}

func TestABudgetIsNamed(t *testing.T) {
	named := func() *apierrors.StatusError {
		target := &apierrors.StatusError{}
		_ = errors.As(budgetRefuses(), &target)
		return target
	}()
	named.ErrStatus.Details.Group, named.ErrStatus.Details.Name = "policy", "other"
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"by the plan where the server tells it in words only": {budgetRefuses(), "cart"},
		"by the server where it does":                         {named, "other"},
		"not where a webhook refused":                         {apierrors.NewTooManyRequests("wait", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			end := &plan.End{Pod: model.NewPod(running("cart"))}
			end.Fate.Budget.Name = "cart"
			if got := judge(end, test.err).budget; got != test.want {
				t.Errorf("the budget is %q, want %q", got, test.want)
			}
		})
	}
}

// A request that priority and fairness turns away is no budget's doing, and was not done.
func TestAThrottledEvictionWaitsAndIsNotBlocked(t *testing.T) {
	throttles := apierrors.NewGenericServerResponse(http.StatusTooManyRequests, "post", podsResource.GroupResource(), "cart",
		"Too many requests, please try again later.", 3, true)
	end := &plan.End{Pod: model.NewPod(running("cart"))}
	end.Fate.Budget.Name = "cart"
	for name, test := range map[string]struct {
		err   error
		state plan.PodState
		done  bool
		pause time.Duration
	}{
		"throttled":         {throttles, plan.PodWaits, false, 3 * time.Second},
		"a webhook refuses": {apierrors.NewTooManyRequests("wait", 1), plan.PodBlocked, true, time.Second},
		"a budget refuses":  {budgetRefuses(), plan.PodBlocked, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := judge(end, test.err); got.state != test.state || got.pause != test.pause || mayHaveDone(test.err) != test.done {
				t.Errorf("it is %s for %s, may have been done is %v", got.state, got.pause, mayHaveDone(test.err))
			}
		})
	}
}

func TestOneBlockedPodHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart"), running("a"), running("b"))
		w.refuse = func(pod string, n int) error {
			if pod == "cart" && n <= 3 {
				return budgetRefuses()
			}
			return nil
		}
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(3 * time.Second)
		if s := states(a); s["a"].State != plan.PodGone || s["b"].State != plan.PodGone || s["cart"].State != plan.PodBlocked || s["cart"].Budget != "cart" {
			t.Errorf("after 3 s: %+v", s)
		}
		if p := a.Jobs()[0]; p.State != plan.JobRuns {
			t.Errorf("the job is %s", p.State)
		}
		time.Sleep(30 * time.Second)
		if p := a.Jobs()[0]; p.State != plan.JobDone || p.Over.IsZero() || p.Count(plan.PodGone) != 3 {
			t.Errorf("after 33 s: %+v", p)
		}
		if e := a.Activity()[0]; e.Result != "3 of 3 evicted" || !e.OK {
			t.Errorf("the activity log says %+v", e)
		}
		for _, action := range w.client.Actions() {
			if action.GetVerb() != "create" || action.GetSubresource() != "eviction" {
				t.Errorf("%s %s was sent", action.GetVerb(), action.GetSubresource())
			}
		}
	})
}

func TestPodsOfABudgetGoInTheOrderOfThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := []*corev1.Pod{running("a"), running("b"), running("c")}
		for i := range 6 {
			pods = append(pods, running(fmt.Sprintf("cart-%d", i)))
		}
		w := newWorld(t, pods...)
		var asked []string
		w.refuse = func(pod string, _ int) error { // one at a time comes here
			if strings.HasPrefix(pod, "cart") {
				asked = append(asked, pod)
			}
			return nil
		}
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(time.Minute)
		if want := []string{"cart-0", "cart-1", "cart-2", "cart-3", "cart-4", "cart-5"}; !slices.Equal(asked, want) {
			t.Errorf("asked %v", asked)
		}
		if p := a.Jobs()[0]; p.State != plan.JobDone || p.Count(plan.PodGone) != 9 {
			t.Errorf("%+v", p)
		}
	})
}

func TestAPodThatWasReplacedUnderItsNameIsGone(t *testing.T) {
	for name, before := range map[string]bool{"before it was asked": true, "between the look and the request": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, running("cart"))
				replace := func() {
					w.remove("cart")
					w.add(running("cart", func(p *corev1.Pod) { p.UID = "another" }))
				}
				w.refuse = func(string, int) error {
					if !before {
						replace()
					}
					return nil
				}
				w.lose(before)
				a := w.begin(ends{how: plan.Evicted})
				defer a.Close()
				if before {
					replace()
					w.lose(false)
				}
				time.Sleep(10 * time.Second)
				if s := states(a)["cart"]; s.State != plan.PodGone || !s.GoneAlready() {
					t.Errorf("the pod is %+v", s)
				}
				if e := a.Activity()[0]; e.Result != "0 of 1 evicted, 1 gone already" || !e.OK {
					t.Errorf("the activity log says %+v", e)
				}
				if p := w.pod("cart"); p.DeletionTimestamp != nil {
					t.Error("the other pod was evicted")
				}
				if n := w.evictions("cart"); before && n != 0 {
					t.Errorf("%d evictions were asked for", n)
				}
			})
		})
	}
}

func TestAPodThatAnotherClientDeletedIsNotCountedAsEvicted(t *testing.T) {
	for name, test := range map[string]struct {
		refuse  func(string, int) error
		early   bool // it is deleted before anything is sent
		result  string
		already bool
	}{
		"before anything was sent":                        {nil, true, "0 of 1 evicted, 1 gone already", true},
		"while its budget blocked it":                     {always(budgetRefuses()), false, "0 of 1 evicted, 1 gone already", true},
		"but maybe after a request that was not answered": {always(context.DeadlineExceeded), false, "1 of 1 evicted", false},
		"but maybe by a webhook that asks for patience":   {always(apierrors.NewTooManyRequests("migrating", 1)), false, "1 of 1 evicted", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, running("cart"))
				w.refuse = test.refuse
				w.lose(test.early)
				a := w.begin(ends{how: plan.Evicted})
				defer a.Close()
				time.Sleep(time.Second)
				w.remove("cart")
				w.lose(false)
				time.Sleep(time.Second)
				if s := states(a)["cart"]; s.State != plan.PodGone || s.GoneAlready() != test.already || a.Jobs()[0].CountGoneAlready() == 1 != test.already {
					t.Errorf("the pod is %+v", s)
				}
				if e := a.Activity()[0]; e.Result != test.result || !e.OK {
					t.Errorf("the activity log says %+v", e)
				}
				if n := w.evictions("cart"); test.early && n != 0 {
					t.Errorf("%d evictions were sent", n)
				}
			})
		})
	}
}

func TestWhatTerminatesAlreadyIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart", terminating))
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(time.Minute)
		p := states(a)["cart"]
		if p.State != plan.PodTerminating || p.Help != "waiting for its finalizer example.com/hold" || time.Since(p.Since) < time.Minute {
			t.Errorf("the pod is %+v", p)
		}
		w.remove("cart")
		time.Sleep(time.Second)
		if job := a.Jobs()[0]; job.State != plan.JobDone || len(w.client.Actions()) != 0 {
			t.Errorf("the job is %s, %v was sent", job.State, w.client.Actions())
		}
	})
}

func TestAPausedJobAsksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart"), running("a"))
		w.refuse = func(pod string, n int) error {
			if pod == "cart" && n == 1 {
				return budgetRefuses()
			}
			return nil
		}
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(time.Second)
		a.Pause(1, true)
		time.Sleep(time.Minute)
		if s := states(a); a.Jobs()[0].State != plan.JobPaused || s["a"].State != plan.PodGone || w.evictions("cart") != 1 {
			t.Errorf("paused: %+v", s)
		}
		a.Pause(1, false)
		time.Sleep(5 * time.Second)
		if job := a.Jobs()[0]; job.State != plan.JobDone {
			t.Errorf("after it went on: %+v", job)
		}
	})
}

func TestAStoppedJobLeavesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart"), running("a"))
		w.refuse = func(pod string, _ int) error {
			if pod == "cart" {
				return budgetRefuses()
			}
			return nil
		}
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(time.Second)
		a.Stop(1)
		a.Pause(1, true) // comes too late
		time.Sleep(500 * time.Millisecond)
		if s := states(a); a.Jobs()[0].State != plan.JobStopped || s["cart"].State != plan.PodLeft || s["a"].State != plan.PodTerminating {
			t.Errorf("stopped: %+v", s)
		}
		time.Sleep(time.Minute)
		if job, s := a.Jobs()[0], states(a); job.State != plan.JobStopped || job.Over.IsZero() || s["a"].State != plan.PodGone || w.evictions("cart") != 1 {
			t.Errorf("in the end: %+v", job)
		}
		if e := a.Activity()[0]; e.Result != "1 of 2 evicted, stopped" || e.OK {
			t.Errorf("the activity log says %+v", e)
		}
		a.Stop(7) // there is none
	})
}

func TestALostConnectionIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart"), running("a"))
		w.refuse = func(pod string, n int) error {
			if pod == "cart" && n == 1 {
				return budgetRefuses()
			}
			return nil
		}
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(time.Second)
		w.lose(true)
		time.Sleep(20 * time.Second)
		if job, s := a.Jobs()[0], states(a); !strings.Contains(job.Why, "connection") || w.evictions("cart") != 1 || s["a"].State != plan.PodGone {
			t.Errorf("while it is lost: %+v", job) // the pod that was asked is asked about
		}
		w.lose(false)
		time.Sleep(5 * time.Second)
		if job := a.Jobs()[0]; job.State != plan.JobDone || job.Why != "" {
			t.Errorf("when it is back: %+v", job)
		}
	})
}

// While an API server that is back refuses to let the pod be read, no eviction is sent, which it would
// refuse as well.
func TestNoEvictionIsSentBeforeTheRightsAreBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart"))
		w.refuse = func(_ string, n int) error {
			if n == 1 {
				return budgetRefuses()
			}
			return nil
		}
		var allowed atomic.Bool
		w.client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			if allowed.Load() {
				return false, nil, nil
			}
			return true, nil, apierrors.NewForbidden(podsResource.GroupResource(), "cart", errors.New("no"))
		})
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		time.Sleep(time.Second)
		w.lose(true)
		time.Sleep(5 * time.Second)
		w.lose(false)
		time.Sleep(5 * time.Second)
		if n := w.evictions("cart"); n != 1 {
			t.Errorf("%d evictions were sent before the rights are back, want 1", n)
		}
		allowed.Store(true)
		time.Sleep(10 * time.Second)
		if job := a.Jobs()[0]; job.State != plan.JobDone || w.evictions("cart") != 2 {
			t.Errorf("%d evictions, job %+v", w.evictions("cart"), job)
		}
	})
}

// An API server that has just started does not know all role bindings yet: what it forbids then is
// asked for again, for a while.
func TestARightThatLacksAfterALostConnectionIsAskedForAgain(t *testing.T) {
	for name, denied := range map[string]int{"for a moment": 2, "for good": 100} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, running("cart"))
				w.refuse = func(_ string, n int) error {
					switch {
					case n == 1:
						return budgetRefuses()
					case n <= denied:
						return apierrors.NewForbidden(podsResource.GroupResource(), "cart", errors.New("no"))
					}
					return nil
				}
				a := w.begin(ends{how: plan.Evicted})
				defer a.Close()
				time.Sleep(time.Second)
				w.lose(true)
				time.Sleep(20 * time.Second)
				w.lose(false)
				time.Sleep(10 * time.Minute)
				want := map[int]plan.PodState{2: plan.PodGone, 100: plan.PodFailed}[denied]
				if s := states(a)["cart"]; s.State != want {
					t.Errorf("after %d evictions: %+v", w.evictions("cart"), s)
				}
			})
		})
	}
}

func TestADeletionIsOfThePodThatWasRead(t *testing.T) {
	for name, changed := range map[string]bool{"as it was": false, "not if it changed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, running("cart"))
				if changed {
					w.client.PrependReactor("delete", "pods", w.changed("cart"))
				}
				a := w.begin(ends{how: plan.Deleted})
				defer a.Close()
				time.Sleep(5 * time.Second)
				p := states(a)["cart"]
				if changed && (p.State != plan.PodFailed || p.Help != "it changed meanwhile: plan it again") || !changed && p.State != plan.PodGone {
					t.Errorf("the pod is %+v", p)
				}
			})
		})
	}
}

func TestAClosedActorEndsItsJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart"))
		w.refuse = always(budgetRefuses())
		a := w.begin(ends{how: plan.Evicted})
		time.Sleep(time.Second)
		a.Close()
		if job := a.Jobs()[0]; job.State != plan.JobStopped || job.Why != "fathom exited" || job.Pods[0].State != plan.PodLeft {
			t.Errorf("the job is %+v", job)
		}
		if e := a.Activity()[0]; e.Result != "0 of 1 evicted, stopped" {
			t.Errorf("the activity log says %+v", e)
		}
	})
}

func TestWhoWaitsForJobsHearsOfEachChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running("cart"))
		a := w.begin(ends{how: plan.Evicted})
		defer a.Close()
		var seen []plan.PodState
		revision := 0
		for {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			jobs, next, err := a.NextJobs(ctx, revision)
			cancel()
			if err != nil {
				break
			}
			if next <= revision || jobs[0].Revision != next {
				t.Errorf("revision %d follows %d", next, revision)
			}
			revision = next
			seen = append(seen, jobs[0].Pods[0].State)
		}
		// Whether the first look comes before the job's first step is a matter of chance.
		if len(seen) < 2 || len(seen) > 5 || seen[len(seen)-1] != plan.PodGone {
			t.Errorf("the states were %v", seen)
		}
	})
}
