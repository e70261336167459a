package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/follow"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
)

// fixing is the dashboard on the fixes of shop/checkout, of which the first uncordons
// spot-a-01.
type fixing struct {
	*acted
	cluster  *fakeCluster
	revision int64
	status   model.Status
}

func newFixing(t testing.TB, width, height int) *fixing {
	t.Helper()
	d := &fixing{acted: newActed(t, width, height, "prod-eu", nil), revision: 1, status: liveStatus()}
	d.cluster = d.app.Cluster.(*fakeCluster)
	uncordon, others := uncordonFix(), checkoutFixes()
	d.cluster.fixes = map[types.UID]*report.Fixes{checkoutUID: {Revision: 1, Tried: append([]report.Fix{uncordon}, others.Tried...)}}
	d.cluster.reports[checkoutUID] = checkoutReport()
	d.press("j", "j", "j", "j", "f")
	return d
}

// uncordonFix is a fix that the dashboard can carry out.
func uncordonFix() report.Fix {
	return report.Fix{
		Title: "uncordon spot-a-01", Kind: report.FixUncordon, Verified: true, Command: "kubectl uncordon spot-a-01", Undo: "kubectl cordon spot-a-01",
		NodesGained: 1, Nodes: []string{"spot-a-01"}, PodsPlaced: 1, Alike: 3, Steps: 1,
		Actions: []report.Remedy{{Kind: report.FixUncordon, Nodes: []string{"spot-a-01"}}},
	}
}

// fix carries the selected fix out.
func (d *fixing) fix() {
	d.t.Helper()
	ran := len(d.actor.run)
	d.press("enter")
	d.wait(time.Second)
	d.press("y")
	if len(d.actor.run) != ran+1 {
		d.t.Fatalf("it was not run:\n%s", screen(d.app))
	}
	d.cluster.fixes[checkoutUID] = checkoutFixes()
}

// sees has the dashboard see the cluster after a while.
func (d *fixing) sees(after time.Duration) {
	d.t.Helper()
	d.at = d.at.Add(after)
	d.revision++
	send(d.t, d.app, snapshotMsg{snapshot: d.prod.at(d.revision, d.status)})
}

// binds gives a pod of prod-eu a node.
func (d *fixing) binds(name, node string) {
	at := slices.IndexFunc(d.prod.pods, func(p *corev1.Pod) bool { return p.Namespace+"/"+p.Name == name })
	d.prod.pods[at] = ran(d.prod.pods[at].DeepCopy(), node)
}

// ticks lets a second pass in which no snapshot comes.
func (d *fixing) ticks() {
	d.t.Helper()
	d.at = d.at.Add(time.Second)
	send(d.t, d.app, tickMsg{d.app.ticker.nth})
}

func TestWhatBecameOfAFixIsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		for _, outcome := range []struct {
			name    string
			happens func(d *fixing)
		}{
			{"waiting", func(d *fixing) { d.sees(2 * time.Second) }},
			{"placed", func(d *fixing) {
				d.binds("shop/"+checkoutName, "spot-a-01")
				d.sees(3 * time.Second)
			}},
			{"taken", func(d *fixing) {
				d.binds("search/index-2", "spot-a-01")
				d.sees(3 * time.Second)
			}},
			{"pending", func(d *fixing) {
				d.press("esc", "enter") // Why
				d.sees(follow.Patience)
			}},
		} {
			t.Run(fmt.Sprintf("%s %dx%d", outcome.name, size.width, size.height), func(t *testing.T) {
				d := newFixing(t, size.width, size.height)
				d.fix()
				outcome.happens(d)
				requireScreen(t, d.app)
			})
		}
	}
}

func TestNoFixIsProposedForAPodThatHasItsNode(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	d.binds("shop/"+checkoutName, "spot-a-01")
	d.sees(3 * time.Second)
	if drawn := screen(d.app); strings.Contains(drawn, "uncordon spot-a-01") || !strings.Contains(drawn, "z opens Activity to undo the fix; esc goes back.") {
		t.Errorf("the page is\n%s", drawn)
	}
	d.press("enter")
	requireRow(t, d.app, 23, "enter: the pod has a node.")
}

func TestThePodOfAFixIsFollowedOnEveryPage(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	requireRow(t, d.app, 2, " Waiting for the scheduler: checkout-6c9d8b7f4-x2x1p (0s).")
	d.press("3")
	d.sees(7 * time.Second)
	if got := screenRow(d.app, message); got != " waiting for the scheduler: checkout-6c9d8b7f4-x2x1p (8s)" {
		t.Errorf("says %q", got)
	}
	d.ticks()
	if got := screenRow(d.app, message); got != " waiting for the scheduler: checkout-6c9d8b7f4-x2x1p (9s)" {
		t.Errorf("a second later it says %q", got)
	}
	d.binds("shop/"+checkoutName, "spot-a-01")
	d.sees(time.Second)
	if got := screenRow(d.app, message); got != " checkout-6c9d8b7f4-x2x1p is on spot-a-01 (after 10s)." {
		t.Errorf("says %q", got)
	}
	d.press("z")
	requireRow(t, d.app, 4, "uncordon spot-a-01")
	requireRow(t, d.app, 4, "done → checkout-6c9d8b7f4-x2x1p on spo…")
	if d.app.follows.waiting() {
		t.Error("it is still awaited")
	}
}

func TestActivityShowsTheNodeAtOnce(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	d.press("z")
	d.binds("shop/"+checkoutName, "spot-a-01")
	d.sees(time.Second)
	requireRow(t, d.app, 4, "done → checkout-6c9d8b7f4-x2x1p on spo…")
}

func TestTheFixesAreOfferedAgainWhereAnotherPodTookThePlace(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	d.press("1")
	d.binds("search/index-2", "spot-a-01")
	d.sees(2 * time.Second)
	if got, want := screenRow(d.app, message), " search/index-2 took spot-a-01 before checkout-6c9d8b7f4-x2x1p · N fixes again"; got != want {
		t.Errorf("says %q, not %q", got, want)
	}
	d.wait(time.Hour) // it stays
	if got := screenRow(d.app, message); !strings.Contains(got, "N fixes again") {
		t.Errorf("says %q", got)
	}
	asked := len(d.cluster.fixed)
	d.press("N")
	v, ok := d.app.history.top().(*fixes.Page)
	if !ok || v.Pod.Object.UID != checkoutUID {
		t.Fatalf("opens %v", d.app.history.top().Crumbs())
	}
	if len(d.cluster.fixed) == asked {
		t.Error("the fixes are of before")
	}
	requireRow(t, d.app, 2, " search/index-2 took spot-a-01. 5 fixes work")
	requireRow(t, d.app, 4, "▸$ ✓ request cpu 3.6")
	d.press("G")
	requireRow(t, d.app, 4, " $ ✓ request cpu 3.6")
	d.press("N")
	requireRow(t, d.app, 4, "▸$ ✓ request cpu 3.6")
	if got := d.actor.entries[0].Came(); got != "done → search/index-2 took spot-a-01" {
		t.Errorf("the activity has %q", got)
	}
}

func TestAPodThatStillFitsIsWaitedFor(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	fits := *checkoutReport()
	fits.Verdict = report.Schedulable
	d.cluster.reports[checkoutUID] = &fits
	d.binds("search/index-2", "spot-a-01")
	d.sees(2 * time.Second)
	requireRow(t, d.app, 2, " Waiting for the scheduler: checkout-6c9d8b7f4-x2x1p (2s).")
	explained := len(d.cluster.explained)
	d.sees(time.Second)
	if len(d.cluster.explained) != explained {
		t.Error("the verdict is asked for again, though nobody else came")
	}
}

func TestAPodThatIsStillPendingIsSaidToBe(t *testing.T) {
	d := newFixing(t, 120, 40)
	d.fix()
	d.press("3")
	for range 40 { // no snapshot comes
		d.ticks()
	}
	got := screenRow(d.app, message)
	if !strings.HasPrefix(got, " checkout-6c9d8b7f4-x2x1p is still pending after 30s: 0 of 12 nodes fit.") || !strings.HasSuffix(got, " · N fixes again") {
		t.Errorf("says %q", got)
	}
	d.press("esc", "N")
	requireRow(t, d.app, 2, " checkout-6c9d8b7f4-x2x1p is still pending after 30s. 5 fixes work")
}

func TestNothingIsSaidOfAFixThatWasUndone(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	for i, node := range d.prod.nodes {
		if node.Name == "spot-a-01" {
			d.prod.nodes[i] = node.DeepCopy()
			d.prod.nodes[i].Spec.Unschedulable = false
		}
	}
	d.sees(time.Second)
	d.actor.snapshot = d.app.observed.Snapshot
	d.press("z", "enter")
	d.wait(time.Second)
	d.press("y")
	if len(d.actor.run) != 2 || len(d.app.follows.all) != 0 {
		t.Errorf("ran %d, follows %d", len(d.actor.run), len(d.app.follows.all))
	}
	d.press("N")
	if got := screenRow(d.app, message); got != " N fixes again: no pod is pending after a fix." {
		t.Errorf("says %q", got)
	}
}

func TestAFixThatFailedIsNotFollowed(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.actor.runErrs = []error{plan.ErrReadOnly}
	d.fix()
	if len(d.app.follows.all) != 0 {
		t.Error("it is followed")
	}
}

func TestAFixThatIsPlannedAgainIsFollowed(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.actor.runErrs = []error{plan.ErrChanged}
	d.fix()
	d.wait(time.Second)
	d.press("y")
	if len(d.actor.run) != 2 || !d.app.follows.waiting() {
		t.Errorf("ran %d times and is not followed:\n%s", len(d.actor.run), screen(d.app))
	}
}

func TestAnotherChangeIsNotFollowed(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.press("enter", "esc") // the plan of the fix is not run
	d.node("std-b-02")
	d.press("c", "y")
	if len(d.actor.run) != 1 || len(d.app.follows.all) != 0 {
		t.Errorf("ran %d, follows %d", len(d.actor.run), len(d.app.follows.all))
	}
}

func TestAFixThatEvictsIsFollowedFromTheEndOfTheEviction(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.app.follows.begin(follow.Fix{Pod: d.pod(), Nodes: []string{"std-b-02"}}, &plan.Plan{})
	one := d.app.follows.all[0]
	job := &plan.Progress{ID: 1, State: plan.JobRuns, Plan: one.plan, Pods: []plan.PodProgress{{State: plan.PodTerminating}}}
	d.app.jobs.all = []*plan.Progress{job}
	d.app.follows.ran(one.plan, &plan.Ran{Job: 1, Entry: plan.Entry{ID: 1, Job: 1}})
	d.binds("search/index-2", "std-b-02")
	d.sees(time.Minute)
	if one.State != follow.Acting {
		t.Fatalf("state %d while the pod terminates", one.State)
	}
	over := *job
	over.State, over.Pods = plan.JobDone, []plan.PodProgress{{State: plan.PodGone}}
	send(t, d.app, jobsMsg{jobs: []*plan.Progress{&over}, revision: 1})
	if got := one.Words(d.at); got != "search/index-2 took std-b-02" {
		t.Errorf("says %q", got)
	}
	if got := screenRow(d.app, message); !strings.HasPrefix(got, " search/index-2 took std-b-02 before") {
		t.Errorf("says %q", got)
	}
	d.app.follows.begin(follow.Fix{Pod: d.pod(), Nodes: []string{"std-b-02"}}, &plan.Plan{})
	second := d.app.follows.all[0]
	d.app.follows.ran(second.plan, &plan.Ran{Job: 2, Entry: plan.Entry{ID: 2, Job: 2}})
	stopped := *job
	stopped.ID, stopped.State = 2, plan.JobStopped
	send(t, d.app, jobsMsg{jobs: []*plan.Progress{&stopped, &over}, revision: 2})
	if slices.Contains(d.app.follows.all, second) {
		t.Error("a fix that was stopped is followed")
	}
}

func TestAPodThatHasItsNodeBeforeTheEvictionIsOverIsSaidAfterIt(t *testing.T) {
	d := newFixing(t, 80, 24)
	p := &plan.Plan{}
	d.app.follows.begin(follow.Fix{Pod: d.pod(), Nodes: []string{"std-b-02"}}, p)
	job := &plan.Progress{ID: 1, Name: "evict x", State: plan.JobRuns, Plan: p, Pods: []plan.PodProgress{{State: plan.PodTerminating}}}
	d.app.jobs.all = []*plan.Progress{job}
	d.app.follows.ran(p, &plan.Ran{Job: 1, Entry: plan.Entry{ID: 1, Job: 1}})
	d.binds("shop/"+checkoutName, "std-b-02")
	d.sees(time.Second)
	d.press("3")
	if got := screenRow(d.app, message); got != " evict x: 0 of 1 evicted" {
		t.Errorf("says %q", got)
	}
	over := *job
	over.State, over.Pods = plan.JobDone, []plan.PodProgress{{State: plan.PodGone}}
	send(t, d.app, jobsMsg{jobs: []*plan.Progress{&over}, revision: 1})
	if got := screenRow(d.app, message); got != " checkout-6c9d8b7f4-x2x1p is on std-b-02 (at once)." {
		t.Errorf("says %q", got)
	}
}

// pod is shop/checkout as it is now.
func (d *fixing) pod() *model.Pod {
	pod, _ := d.app.observed.Snapshot.PodNamed("shop", checkoutName)
	return pod
}

func TestALostConnectionIsSaidAndWaitedFor(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	d.status.Connection = model.Connection{Heard: d.at, Err: "connection refused", Problem: model.Unreachable}
	d.sees(time.Minute)
	requireRow(t, d.app, 2, " No connection: not known whether checkout-6c9d8b7f4-x2x1p has a node.")
	d.status = liveStatus()
	d.binds("shop/"+checkoutName, "spot-a-01")
	d.sees(2 * time.Second)
	requireRow(t, d.app, 2, " checkout-6c9d8b7f4-x2x1p is on spot-a-01 (after 1m).")
	if got := screenRow(d.app, message); strings.Contains(got, "is on") {
		t.Errorf("says it twice: %q", got)
	}
}

func TestSeveralPodsAreFollowedAtATime(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	front, _ := d.app.observed.Snapshot.PodNamed("web", "front-5d8f9c6b4-8sd2l")
	p := &plan.Plan{}
	d.app.follows.begin(follow.Fix{Pod: front, Nodes: []string{"gpu-a-01"}}, p)
	send(t, d.app, ranMsg{plan: &plan.Plan{Action: plan.Cordon{Nodes: []string{"x"}}}, ran: &plan.Ran{}})
	d.app.follows.ran(p, &plan.Ran{Entry: plan.Entry{ID: 9}})
	d.press("3")
	if got := screenRow(d.app, message); got != " waiting for the scheduler: front-5d8f9c6b4-8sd2l (1s); 1 more" {
		t.Errorf("says %q", got)
	}
	d.binds("shop/"+checkoutName, "spot-a-01")
	d.binds("web/front-5d8f9c6b4-8sd2l", "gpu-a-01")
	d.sees(time.Second)
	if got := screenRow(d.app, message); !strings.Contains(got, " front-5d8f9c6b4-8sd2l is on gpu-a-01 (after 2s); checkout-6c9d8b7f4-x2x1p is o") {
		t.Errorf("says %q", got)
	}
}

func TestFollowingEndsWithTheCluster(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	d.app.contexts.swap(&fakeCluster{})
	if len(d.app.follows.all) != 0 || len(d.app.observed.Followed) != 0 {
		t.Error("the pods of another cluster are followed")
	}
}

func TestWhyWaitsForTheScheduler(t *testing.T) {
	d := newFixing(t, 80, 24)
	d.fix()
	d.press("esc", "enter")
	if _, ok := d.app.history.top().(*why.Page); !ok {
		t.Fatal(screen(d.app))
	}
	requireRow(t, d.app, 2, " Waiting for the scheduler: checkout-6c9d8b7f4-x2x1p (2s).")
	if got := screenRow(d.app, message); strings.Contains(got, "waiting for the scheduler") {
		t.Errorf("says it twice: %q", got)
	}
}
