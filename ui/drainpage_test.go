package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/drains"
)

// cartSaid is what the API server says of an eviction that a budget refuses.
const cartSaid = "Cannot evict pod as it would violate the pod's disruption budget. " +
	"The disruption budget cart needs 3 healthy pods and has 3 currently"

// drainJob is the drain of the mock-up: 7 of 11 gone, 2 ending, 1 asked, 1 refused.
func drainJob(prod *prodEU) *plan.Progress {
	ago := func(s int) time.Time { return now.Add(-time.Duration(s) * time.Second) }
	ref := func(namespace, name string) model.Ref {
		return model.Ref{Resource: "pods", Namespace: namespace, Name: name, UID: types.UID("pod-" + namespace + "-" + name)}
	}
	back := func(namespace, name string) model.Ref {
		made := ref(namespace, name)
		made.UID += "-anew"
		return made
	}
	job := &plan.Progress{
		ID: 1, Name: "drain std-a-02", State: plan.JobRuns, Began: ago(72), Revision: 1,
		Plan: &plan.Plan{Action: plan.Drain{Nodes: []string{"std-a-02"}}, Undo: plan.Restore{Of: "drain std-a-02", OfDrain: true}},
		Pods: []plan.PodProgress{
			{Pod: ref("batch", "report-2"), State: plan.PodGone, Since: ago(48), Back: back("batch", "report-2"), BackNode: "std-a-01"},
			{Pod: ref("dev", "shell-anna"), State: plan.PodTerminating, Since: ago(22), Grace: time.Minute},
			{Pod: ref("search", "index-1"), State: plan.PodGone, Since: ago(31), Back: back("search", "index-1")},
			{
				Pod: ref("shop", "cart-7b5c4d9f8-9fj4w"), State: plan.PodBlocked, Since: ago(58), Again: now.Add(4 * time.Second),
				Budget: "cart", Said: cartSaid,
			},
			{Pod: ref("web", "cache-0"), State: plan.PodTerminating, Since: ago(40), Grace: 30 * time.Second},
			{Pod: ref("team-a", "worker-0"), State: plan.PodAsked, Since: ago(2)},
		},
	}
	for i := range 5 {
		job.Pods = append(job.Pods, plan.PodProgress{Pod: ref("team-a", fmt.Sprintf("worker-%d", i+1)), State: plan.PodGone, Since: ago(50 + i)})
	}
	return job
}

// draining is the dashboard while that drain runs, on its page.
func draining(t *testing.T, width, height int, with func(*Options)) (*acted, *plan.Progress) {
	t.Helper()
	prod := drained()
	for i, node := range prod.nodes {
		if node.Name == "std-a-02" {
			prod.nodes[i] = node.DeepCopy()
			prod.nodes[i].Spec.Unschedulable = true
		}
	}
	d := newActedOn(t, width, height, "staging-eu", prod, with)
	job := drainJob(prod)
	cordon := plan.Change{
		Target: plan.NodeRef("std-a-02"), Edits: []plan.Edit{{Path: []string{"spec", "unschedulable"}, To: true}},
	}
	d.actor.entries = []plan.Entry{{
		ID: 1, At: job.Began, User: "anna", Context: "staging-eu", Did: job.Name, Result: "running", OK: true, Job: job.ID,
		Undo: plan.Restore{Of: job.Name, OfDrain: true, Changes: []plan.Change{cordon}},
	}}
	d.tell(job)
	return d, job
}

// tell brings how far jobs are.
func (d *acted) tell(jobs ...*plan.Progress) {
	d.actor.jobs = jobs
	send(d.t, d.app, jobsMsg{jobs: jobs, revision: 1})
}

func (d *acted) toDrain() {
	d.press(":")
	write(d.t, d.app, "drains")
	press(d.t, d.app, "enter", "enter")
	d.at = now
	send(d.t, d.app, tickMsg{})
}

func TestADrainIsWatchedAsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			d, _ := draining(t, size.width, size.height, nil)
			d.toDrain()
			requireScreen(t, d.app)
		})
	}
	t.Run("another pod", func(t *testing.T) {
		d, _ := draining(t, 80, 24, nil)
		d.toDrain()
		press(t, d.app, "j")
		requireScreen(t, d.app)
	})
	t.Run("stopping it asks", func(t *testing.T) {
		d, _ := draining(t, 80, 24, nil)
		d.toDrain()
		press(t, d.app, "Q")
		requireScreen(t, d.app)
	})
	t.Run("the list of drains", func(t *testing.T) {
		d, job := draining(t, 80, 24, nil)
		over := drainJob(d.prod)
		over.ID, over.Name, over.State, over.Over = 2, "evict 3 pods", plan.JobDone, now.Add(-time.Minute)
		over.Pods = over.Pods[6:9]
		d.tell(over, job)
		d.toDrain()
		press(t, d.app, "esc")
		requireScreen(t, d.app)
	})
}

func TestADrainIsPausedAndStopped(t *testing.T) {
	d, job := draining(t, 80, 24, nil)
	d.toDrain()
	d.press("P")
	if len(d.actor.paused) != 1 {
		t.Fatal("P pauses nothing")
	}
	paused := *job
	paused.State = plan.JobPaused
	d.tell(&paused)
	if got := screenRow(d.app, footer); !strings.Contains(got, "P resume") || !strings.Contains(got, "esc back") {
		t.Errorf("says %q", got)
	}
	d.press("Q")
	press(t, d.app, "y")
	if len(d.actor.stopped) != 0 {
		t.Error("a box that was just drawn takes an answer")
	}
	d.press("y")
	if len(d.actor.stopped) != 1 {
		t.Error("y stops nothing")
	}
	stopped := *job
	stopped.State = plan.JobStopped
	d.tell(&stopped)
	d.press("P")
	if got := screenRow(d.app, message); got != " P pause: drain std-a-02 is stopped." {
		t.Errorf("says %q", got)
	}
}

func TestTheUndoOfADrainThatRunsSaysThatItStopsIt(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			d, _ := draining(t, size.width, size.height, nil)
			d.toDrain()
			d.press("U")
			d.wait(time.Second)
			requireScreen(t, d.app)
		})
	}
	t.Run("and how far it is while the box is open", func(t *testing.T) {
		d, job := draining(t, 80, 24, nil)
		d.toDrain()
		d.press("U")
		later := *job
		later.Pods = slices.Clone(job.Pods)
		later.Pods[1].State = plan.PodGone
		d.tell(&later)
		d.wait(time.Second)
		requireScreen(t, d.app)
		d.press("y")
		if n := len(d.actor.run); n != 1 || len(d.actor.run[0].Stops) != 1 || d.actor.run[0].Stops[0].ID != job.ID {
			t.Errorf("ran %v", d.actor.run)
		}
	})
	t.Run("also of three nodes by an uncordon of one", func(t *testing.T) {
		d, job := draining(t, 80, 24, nil)
		several := *job
		several.Name, several.State = "drain 3 nodes", plan.JobPaused
		several.Plan = &plan.Plan{Action: plan.Drain{Nodes: []string{"std-a-01", "std-a-02", "std-b-01"}, AtOnce: 1}}
		d.tell(&several)
		d.node("std-a-02")
		d.press("u")
		d.wait(time.Second)
		requireScreen(t, d.app)
	})
}

func TestDrainingANodeThatDrainsOpensTheDrain(t *testing.T) {
	for name, with := range map[string]func(*acted){
		"while it runs":                   func(*acted) {},
		"where the connection is lost":    func(d *acted) { d.app.observed.Snapshot.Status.Connection.Live = false },
		"where nothing may be changed":    func(d *acted) { d.actor.readOnly = "read-only for this context." },
		"among marked nodes that drain":   func(d *acted) { d.press("space") },
		"from the menu of all actions, a": func(d *acted) { d.press("a") },
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := draining(t, 80, 24, nil)
			d.node("std-a-02")
			with(d)
			d.press("r")
			if page, ok := d.app.history.top().(*drains.Page); !ok || page.Crumbs()[1] != "std-a-02" {
				t.Errorf("shows\n%s", screen(d.app))
			}
			if len(d.actor.asked) != 0 {
				t.Errorf("planned %v", d.actor.asked)
			}
		})
	}
	t.Run("but not once it is over", func(t *testing.T) {
		d, job := draining(t, 80, 24, nil)
		d.actor.filtered = func(string) []types.UID { return nil }
		over := *job
		over.State = plan.JobStopped
		d.tell(&over)
		d.node("std-a-02")
		d.press("r")
		if len(d.actor.asked) != 1 {
			t.Errorf("planned %v", d.actor.asked)
		}
	})
	t.Run("and the list where several drain it", func(t *testing.T) {
		d, job := draining(t, 80, 24, nil)
		second := *job
		second.ID = 2
		d.tell(&second, job)
		d.node("std-a-02")
		d.press("r")
		if _, ok := d.app.history.top().(*drains.List); !ok {
			t.Errorf("shows\n%s", screen(d.app))
		}
	})
}

func TestEnterOnADrainThatRunsOpensItInActivity(t *testing.T) {
	d, job := draining(t, 80, 24, nil)
	d.press("z")
	if got := screenRow(d.app, footer); !strings.HasPrefix(got, " enter open  U undo") {
		t.Errorf("offers %q", got)
	}
	if got := screen(d.app); !strings.Contains(got, "1 can be undone.") {
		t.Errorf("says\n%s", got)
	}
	d.press("enter")
	if page, ok := d.app.history.top().(*drains.Page); !ok || page.Crumbs()[1] != "std-a-02" {
		t.Errorf("shows\n%s", screen(d.app))
	}
	d.press("z", "U")
	if len(d.actor.asked) != 1 || d.actor.asked[0].Name() != "uncordon std-a-02" {
		t.Errorf("planned %v", d.actor.asked)
	}
	d.press("esc")
	over := *job
	over.State = plan.JobDone
	d.tell(&over)
	d.press("z", "enter")
	if len(d.actor.asked) != 2 || d.app.dialog == nil {
		t.Errorf("enter on a drain that is over plans %v", d.actor.asked)
	}
}

func TestAStoppedDrainTellsHowLongItRan(t *testing.T) {
	d, job := draining(t, 80, 24, nil)
	stopped := *job
	stopped.State, stopped.Over, stopped.Pods = plan.JobStopped, job.Began.Add(70*time.Second), slices.Clone(job.Pods)
	for i := range stopped.Pods {
		stopped.Pods[i].State = plan.PodGone
	}
	stopped.Pods[3].State, stopped.Pods[3].Again, stopped.Pods[3].Said = plan.PodLeft, time.Time{}, ""
	d.tell(&stopped)
	d.at = now.Add(time.Hour)
	d.press(":")
	write(d.t, d.app, "drains")
	press(d.t, d.app, "enter")
	if got := screen(d.app); !strings.Contains(got, "stopped      10/11    1m  ") {
		t.Errorf("the list says\n%s", got)
	}
	press(d.t, d.app, "enter")
	if got := screen(d.app); !strings.Contains(got, "  not evicted            1h  blocked by PDB cart") {
		t.Errorf("the page says\n%s", got)
	}
}

func TestAJobIsToldWhereverOneIs(t *testing.T) {
	d, job := draining(t, 80, 24, nil)
	if got := screenRow(d.app, message); got != " drain std-a-02: 7 of 11 evicted" {
		t.Errorf("says %q", got)
	}
	done := *job
	done.State, done.Over = plan.JobDone, now
	d.tell(&done)
	if got := screenRow(d.app, message); got != " drain std-a-02: 7 of 11 evicted" || !d.app.said.bad && d.app.said.text == "" {
		t.Errorf("its end is not told: %q", got)
	}
	send(t, d.app, forgetMsg{d.app.said.nth})
	if got := screenRow(d.app, message); strings.Contains(got, "drain") {
		t.Errorf("still says %q", got)
	}
}

func TestLeavingWhileADrainRunsAsksOnce(t *testing.T) {
	d, job := draining(t, 80, 24, nil)
	quits := func(keys ...string) bool {
		var cmd tea.Cmd
		for _, key := range keys {
			_, cmd = d.app.Update(keyPress(key))
		}
		return quitsBy(cmd)
	}
	if quits("ctrl+c") {
		t.Error("one ctrl-c quits")
	}
	if got := screenRow(d.app, message); got != " 1 drain is running; ctrl-c again stops it (nodes stay cordoned) and quits" {
		t.Errorf("says %q", got)
	}
	if quits("j", "ctrl+c") {
		t.Error("a key between does not make it ask again")
	}
	if !quits("ctrl+c") {
		t.Error("the second ctrl-c does not quit")
	}
	done := *job
	done.State = plan.JobDone
	d.tell(&done)
	d.press("j")
	if !quits("ctrl+c") {
		t.Error("it asks where nothing runs")
	}
}

func TestSwitchingWhileADrainRunsAsks(t *testing.T) {
	d, job := draining(t, 80, 24, nil)
	d.app.Session = fakeSession{&fakeCluster{}}
	to := model.Context{Name: "prod-eu"}
	switches := func() bool { return d.app.dialog == nil && d.app.contexts.connect(to) != nil && d.app.dialog == nil }
	if switches() {
		t.Error("it switches without a question")
	}
	requireScreen(t, d.app)
	d.wait(time.Second)
	press(t, d.app, "esc")
	d.app.acts.running = []string{"cordon std-b-02"}
	done := *job
	done.State = plan.JobDone
	d.tell(&done)
	if switches() || !strings.Contains(screen(d.app), "cordon std-b-02 has no answer yet. It may still be made.") {
		t.Errorf("with a change that has no answer it draws\n%s", screen(d.app))
	}
	d.wait(time.Second)
	press(t, d.app, "esc")
	if _, cmd := d.app.Update(keyPress("ctrl+c")); quitsBy(cmd) || screenRow(d.app, message) != " cordon std-b-02 has no answer yet; ctrl-c again quits, and it may still be made" {
		t.Errorf("ctrl-c says %q", screenRow(d.app, message))
	}
	d.press("j")
	d.app.acts.running = nil
	if !switches() {
		t.Error("it asks where nothing runs")
	}
}

// quitsBy says whether a command leaves the program.
func quitsBy(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case tea.QuitMsg:
		return true
	case tea.BatchMsg:
		if slices.ContainsFunc(msg, quitsBy) {
			return true
		}
	}
	return false
}

func TestAPausedDrainDoesNotCountAsRunning(t *testing.T) {
	d, job := draining(t, 80, 24, nil)
	paused := *job
	paused.State = plan.JobPaused
	d.tell(&paused)
	run(t, d.app, d.app.history.open(drains.NewList(&d.app.host, &d.app.jobs)), 0)
	requireRow(t, d.app, 2, "1 drain, 1 paused.")
	if got := screenRow(d.app, footer); !strings.Contains(got, "P resume") {
		t.Errorf("the footer is %q", got)
	}
	if d.app.Update(keyPress("ctrl+c")); screenRow(d.app, message) != " 1 drain is paused; ctrl-c again stops it (nodes stay cordoned) and quits" {
		t.Errorf("says %q", screenRow(d.app, message))
	}
}
