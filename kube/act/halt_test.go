package act

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// drained is a world whose nodes are drained by plans of the model. The pods whose
// names begin with cart are protected by a budget.
type drained struct {
	*world
	a *Actor

	mu   sync.Mutex
	sent []string      // "evict cart-a", "patch n1"
	hold chan struct{} // evictions arrive once it is closed; nil: at once
}

func newDrained(t *testing.T, nodes []string, pods ...*corev1.Pod) *drained {
	t.Helper()
	d := &drained{world: newWorld(t, pods...)}
	d.refuse = func(pod string, _ int) error {
		if strings.HasPrefix(pod, "cart") {
			return budgetRefuses()
		}
		return nil
	}
	for _, name := range nodes {
		d.nodes = append(d.nodes, name)
		if err := d.client.Tracker().Add(node(name, nil)); err != nil {
			t.Fatal(err)
		}
	}
	d.client.PrependReactor("list", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		list := &corev1.PodList{}
		for _, p := range d.pods() {
			if selector := action.(clienttesting.ListAction).GetListRestrictions().Fields.String(); selector == "" || selector == "spec.nodeName="+p.Spec.NodeName {
				list.Items = append(list.Items, *p)
			}
		}
		return true, list, nil
	})
	d.client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch {
		case action.GetSubresource() == "eviction":
			d.note("evict " + action.(clienttesting.CreateAction).GetObject().(metav1.Object).GetName())
		case action.GetVerb() == "patch":
			d.note("patch " + action.(clienttesting.PatchAction).GetName())
		}
		return false, nil, nil
	})
	dryRunner := fake.NewClientset()
	dryRunner.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch, ok := action.(clienttesting.PatchAction)
		if !ok {
			return true, nil, nil
		}
		n, err := d.client.Tracker().Get(nodesResource, "", patch.GetName())
		if err != nil {
			return true, nil, err
		}
		tried, err := fake.NewClientset(n.DeepCopyObject()).CoreV1().Nodes().Patch(t.Context(), patch.GetName(), patch.GetPatchType(), patch.GetPatch(), metav1.PatchOptions{})
		return true, tried, err
	})
	d.a = New(Options{State: d, Reader: d.client, DryRunner: dryRunner, Writer: slow{d.client, d}})
	return d
}

// slow is a client whose evictions are under way for a while before they arrive:
// the fake server answers one request after the other.
type slow struct {
	kubernetes.Interface
	d *drained
}

func (s slow) PolicyV1() policyclient.PolicyV1Interface {
	return slowPolicy{s.Interface.PolicyV1(), s.d}
}

type slowPolicy struct {
	policyclient.PolicyV1Interface
	d *drained
}

func (s slowPolicy) Evictions(namespace string) policyclient.EvictionInterface {
	return slowEvictions{s.PolicyV1Interface.Evictions(namespace), s.d}
}

type slowEvictions struct {
	policyclient.EvictionInterface
	d *drained
}

func (s slowEvictions) Evict(ctx context.Context, eviction *policyv1.Eviction) error {
	if s.d.hold != nil {
		s.d.note("begin")
		select {
		case <-s.d.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.EvictionInterface.Evict(ctx, eviction)
}

func (d *drained) note(request string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = append(d.sent, request)
}

// requests are those that were sent since they were asked for last.
func (d *drained) requests() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	sent := strings.Join(d.sent, ", ")
	d.sent = nil
	return sent
}

// plan plans an action.
func (d *drained) plan(action plan.Action) *plan.Plan {
	d.t.Helper()
	plan, err := d.a.Plan(d.t.Context(), action)
	if err != nil {
		d.t.Fatal(err)
	}
	return plan
}

// run confirms a plan and runs it.
func (d *drained) run(plan *plan.Plan) (*plan.Ran, error) {
	d.t.Helper()
	question := plan.Question("staging", false)
	consents := make([]bool, len(plan.Consents))
	for i := range consents {
		consents[i] = true
	}
	confirmed, err := plan.Confirm(question, question.Answer, consents)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.a.Run(d.t.Context(), confirmed)
}

// does plans, confirms and runs an action.
func (d *drained) does(action plan.Action) *plan.Ran {
	d.t.Helper()
	ran, err := d.run(d.plan(action))
	if err != nil {
		d.t.Fatal(err)
	}
	return ran
}

func (d *drained) cordoned(name string) bool {
	d.t.Helper()
	found, err := d.client.CoreV1().Nodes().Get(d.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
	return found.Spec.Unschedulable
}

func TestUndoingADrainThatRunsStopsItFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("a"), running("cart-a"), running("cart-b"))
		defer d.a.Close()
		undo := d.does(plan.Drain{Nodes: []string{"n1"}}).Entry.Undo
		time.Sleep(4 * time.Second)
		p := d.plan(undo)
		want := "First stops \"drain n1\" (running): 1 of 3 pods evicted, 2 blocked by PDBs. Evicted pods do not move back."
		if got := strings.Join(p.StopWords(d.a.Jobs()), " "); got != want {
			t.Errorf("the box says %q", got)
		}
		time.Sleep(10 * time.Second)
		d.requests()
		ran, err := d.run(p)
		if err != nil || len(ran.Stopped) != 1 || ran.Stopped[0] != "drain n1" {
			t.Errorf("run gives %+v, %v", ran, err)
		}
		time.Sleep(5 * time.Minute)
		if got := d.requests(); got != "patch n1" {
			t.Errorf("after the undo was confirmed: %s", got)
		}
		if job := d.a.Jobs()[0]; job.State != plan.JobStopped || job.Count(plan.PodLeft) != 2 || d.cordoned("n1") {
			t.Errorf("the job is %+v, the node is cordoned: %v", job, d.cordoned("n1"))
		}
		did := d.a.Activity()
		if len(did) != 2 || did[0].Did != "uncordon n1" || did[1].Undo != nil || did[1].Result != "1 of 3 evicted, stopped" {
			t.Errorf("the activity log says %+v", did)
		}
	})
}

func TestAnUndoWaitsForTheRequestsThatAreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("a"), running("cart-a"), running("cart-b"))
		defer d.a.Close()
		d.hold = make(chan struct{})
		undo := d.does(plan.Drain{Nodes: []string{"n1"}}).Entry.Undo
		time.Sleep(time.Second)
		if got := d.requests(); got != "patch n1, begin, begin, begin" {
			t.Fatalf("nothing is under way: %s", got)
		}
		p, undone := d.plan(undo), make(chan error)
		go func() { _, err := d.run(p); undone <- err }()
		time.Sleep(10 * time.Second)
		if got := d.requests(); got != "" || !d.cordoned("n1") {
			t.Errorf("while requests are under way: %q", got)
		}
		close(d.hold)
		if err := <-undone; err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		got := d.requests()
		if under, after, _ := strings.Cut(got, ", patch n1"); strings.Count(under, "evict") != 3 || after != "" || d.cordoned("n1") {
			t.Errorf("after they were answered: %q", got)
		}
		if job := d.a.Jobs()[0]; job.Count(plan.PodGone) != 1 || job.Count(plan.PodLeft) != 2 {
			t.Errorf("the job is %+v", job)
		}
	})
}

func TestNoRequestOfAJobPassesOnceItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("cart-a"))
		defer d.a.Close()
		d.does(plan.Drain{Nodes: []string{"n1"}})
		plan := d.a.jobs.jobs[0].plan
		question := plan.Question("staging", false)
		confirmed, err := plan.Confirm(question, question.Answer, []bool{true})
		if err != nil {
			t.Fatal(err)
		}
		within := withConfirmation(t.Context(), confirmed, func() bool { return d.a.jobs.ordersFor(d.a.jobs.jobs[0]).stopped })
		if Confirmation(within) != plan {
			t.Error("a job that runs has no confirmation")
		}
		d.a.Stop(1)
		if Confirmation(within) != nil {
			t.Error("what client-go sends again for a stopped job would pass")
		}
	})
}

func TestWhateverMakesADrainedNodeSchedulableStopsTheDrain(t *testing.T) {
	nodes := []string{"n1", "n2", "n3"}
	for name, test := range map[string]struct {
		before    plan.Action // done before the drain; what undoes it is planned, else undo
		undo      func(drain plan.Action) plan.Action
		elsewhere bool // somebody else uncordons n1 meanwhile
		says      string
		sends     string
		cordoned  string
	}{
		"the undo of a drain of three nodes": {
			undo: func(drain plan.Action) plan.Action { return drain },
			says: "First stops \"drain 3 nodes\" (running): 0 of 3 pods evicted, 1 blocked by PDB, 2 not evicted.", sends: "patch n3, patch n2, patch n1",
		},
		"an uncordon of one of them": {
			undo: func(plan.Action) plan.Action { return plan.Cordon{Nodes: []string{"n2"}, Off: true} },
			says: "First stops \"drain 3 nodes\" (running): 0 of 3 pods evicted, 1 blocked by PDB, 2 not evicted. This also stops draining n1, n3.", sends: "patch n2", cordoned: "n1 n3",
		},
		"the undo of a cordon that came before it": {
			before: plan.Cordon{Nodes: []string{"n1"}},
			says:   "First stops \"drain 3 nodes\" (running): 0 of 3 pods evicted, 1 blocked by PDB, 2 not evicted. This also stops draining n2, n3.", sends: "patch n1", cordoned: "n2 n3",
		},
		"an uncordon of one that somebody else has uncordoned": {
			undo:      func(plan.Action) plan.Action { return plan.Cordon{Nodes: []string{"n1"}, Off: true} },
			elsewhere: true,
			says:      "First stops \"drain 3 nodes\" (running): 0 of 3 pods evicted, 1 blocked by PDB, 2 not evicted. This also stops draining n2, n3.", cordoned: "n2 n3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDrained(t, nodes, running("cart-a"), running("cart-b", on("n2")), running("cart-c", on("n3")))
				defer d.a.Close()
				var undo plan.Action
				if test.before != nil {
					undo = d.does(test.before).Entry.Undo
				}
				drain := d.does(plan.Drain{Nodes: nodes, AtOnce: 1}).Entry.Undo
				if test.undo != nil {
					undo = test.undo(drain)
				}
				if test.elsewhere {
					patch := []byte(`{"spec":{"unschedulable":null}}`)
					if _, err := d.client.CoreV1().Nodes().Patch(t.Context(), "n1", "application/merge-patch+json", patch, metav1.PatchOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second)
				plan := d.plan(undo)
				if got := plan.StopWords(d.a.Jobs()); len(got) != 2 || got[0] != test.says {
					t.Errorf("the box says %q", got)
				}
				d.requests()
				if _, err := d.run(plan); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Minute)
				if got := d.requests(); got != test.sends {
					t.Errorf("sent %q, want %q", got, test.sends)
				}
				var left []string
				for _, name := range nodes {
					if d.cordoned(name) {
						left = append(left, name)
					}
				}
				if got := strings.Join(left, " "); got != test.cordoned {
					t.Errorf("cordoned are %q, want %q", got, test.cordoned)
				}
			})
		})
	}
}

func TestTheTimeOfARemainingPodGoesOnAfterAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("a"), running("cart-a"), running("cart-b"))
		d.refuse = func(pod string, _ int) error {
			switch pod {
			case "cart-a":
				refused := apierrors.NewTooManyRequests("Cannot evict pod", 0)
				refused.ErrStatus.Details = &metav1.StatusDetails{
					Group: policyv1.GroupName, Name: "cart", Causes: []metav1.StatusCause{{Type: policyv1.DisruptionBudgetCause}},
				}
				return refused
			case "cart-b":
				return context.DeadlineExceeded
			}
			return nil
		}
		defer d.a.Close()
		d.does(plan.Drain{Nodes: []string{"n1"}})
		time.Sleep(time.Minute)
		before := states(d.a)
		d.a.Stop(1)
		time.Sleep(time.Second)
		after := states(d.a)
		for _, name := range []string{"cart-a", "cart-b"} {
			if after[name].State != plan.PodLeft || !after[name].Since.Equal(before[name].Since) || time.Since(after[name].Since) < time.Minute {
				t.Errorf("%s has been waiting since %s, after the stop since %s", name, before[name].Since, after[name].Since)
			}
		}
		if after["cart-a"].Budget != "cart" || after["cart-b"].Budget != "" {
			t.Errorf("what they waited for is %q and %q", after["cart-a"].Budget, after["cart-b"].Budget)
		}
	})
}

func TestADrainOfOtherNodesGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1", "n2"}, running("cart-a"), running("cart-b", on("n2")))
		defer d.a.Close()
		undo := d.does(plan.Drain{Nodes: []string{"n1"}}).Entry.Undo
		d.does(plan.Drain{Nodes: []string{"n2"}})
		time.Sleep(time.Second)
		d.does(undo)
		if jobs := d.a.Jobs(); jobs[0].State != plan.JobRuns || jobs[1].State != plan.JobStopped {
			t.Errorf("the jobs are %s and %s", jobs[0].State, jobs[1].State)
		}
	})
}

func TestADrainOfACordonedNodeThatWasUncordonedIsAskedAboutAgain(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile string // a patch of n1 while the box is open
		err       error
	}{
		"it was uncordoned":         {`{"spec":{"unschedulable":null}}`, ErrChanged},
		"its kubelet has a message": {`{"status":{"nodeInfo":{"kubeletVersion":"v1.37.2"}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDrained(t, []string{"n1", "n2"}, running("a"), running("b", on("n2")))
				defer d.a.Close()
				d.does(plan.Cordon{Nodes: []string{"n1"}})
				p := d.plan(plan.Drain{Nodes: []string{"n1", "n2"}})
				d.requests()
				if _, err := d.client.CoreV1().Nodes().Patch(t.Context(), "n1", "application/merge-patch+json", []byte(test.meanwhile), metav1.PatchOptions{}); err != nil {
					t.Fatal(err)
				}
				d.requests()
				_, err := d.run(p)
				time.Sleep(5 * time.Second)
				if !errors.Is(err, test.err) || (err == nil) != strings.Contains(d.requests(), "evict a") {
					t.Errorf("run gives %v", err)
				}
				if changed := new(plan.ChangedError); test.err != nil && (!errors.As(err, &changed) || changed.Target.Name != "n1") {
					t.Errorf("run gives %v, want one about n1", err)
				}
			})
		})
	}
}

func TestADrainWhosePreconditionCannotBeReadSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("a"))
		defer d.a.Close()
		d.does(plan.Cordon{Nodes: []string{"n1"}})
		p := d.plan(plan.Drain{Nodes: []string{"n1"}})
		d.requests()
		d.client.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, context.DeadlineExceeded
		})
		_, err := d.run(p)
		time.Sleep(5 * time.Second)
		if sent := d.requests(); !errors.Is(err, ErrUnsent) || strings.Contains(sent, "evict") {
			t.Errorf("run gives %v and sent %q", err, sent)
		}
	})
}

func TestADrainedNodeThatWasCordonedBeforeAndIsUncordonedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("cart-a"))
		defer d.a.Close()
		d.does(plan.Cordon{Nodes: []string{"n1"}})
		d.cordon("n1", false) // in the snapshots, from the beginning on
		d.does(plan.Drain{Nodes: []string{"n1"}})
		time.Sleep(time.Second)
		if job := d.a.Jobs()[0]; job.Why != "n1 was uncordoned meanwhile: pods may be scheduled there again" {
			t.Errorf("the job says %q", job.Why)
		}
	})
}

func TestAnUndoDoesNotWaitForReplacementsOfADrainThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("a", of("ReplicaSet", "a"))) // which is not replaced
		defer d.a.Close()
		p := d.plan(d.does(plan.Drain{Nodes: []string{"n1"}}).Entry.Undo)
		time.Sleep(10 * time.Second)
		if job := d.a.Jobs()[0]; job.State != plan.JobDone {
			t.Fatalf("the job is %s", job.State)
		}
		began := time.Now()
		if _, err := d.run(p); err != nil || d.cordoned("n1") {
			t.Errorf("run gives %v, cordoned: %v", err, d.cordoned("n1"))
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the node was uncordoned after %s", took)
		}
	})
}

func TestADrainThatBeganAfterTheUndoWasPlannedIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("cart-a"))
		defer d.a.Close()
		undo := d.does(plan.Cordon{Nodes: []string{"n1"}}).Entry.Undo
		p := d.plan(undo)
		d.does(plan.Drain{Nodes: []string{"n1"}})
		time.Sleep(time.Second)
		if _, err := d.run(p); !errors.Is(err, plan.ErrChanged) || !d.cordoned("n1") {
			t.Errorf("run gives %v, cordoned: %v", err, d.cordoned("n1"))
		}
		if job := d.a.Jobs()[0]; job.State != plan.JobRuns {
			t.Errorf("the job is %s", job.State)
		}
	})
}

func TestAnUndoThatFailsSaysWhatItStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrained(t, []string{"n1"}, running("cart-a"))
		defer d.a.Close()
		var lost atomic.Bool
		d.client.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			return lost.Load(), nil, errors.New("connection refused")
		})
		undo := d.does(plan.Drain{Nodes: []string{"n1"}}).Entry.Undo
		time.Sleep(time.Second)
		lost.Store(true)
		ran, err := d.run(d.plan(undo))
		if err == nil || !strings.HasSuffix(err.Error(), "; stopped before that: drain n1") || len(ran.Stopped) != 1 {
			t.Errorf("run gives %+v, %v", ran, err)
		}
		if did := d.a.Activity(); did[0].OK || did[1].Undo == nil {
			t.Errorf("the undo of the drain is lost: %+v", did)
		}
	})
}
