package act

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

const (
	// pollEvery is how often a job looks at the newest snapshot. It asks the
	// server nothing.
	pollEvery = 250 * time.Millisecond
	// firstPause and longestPause bound how long a pod that was refused waits
	// before it is asked again.
	firstPause   = 5 * time.Second
	longestPause = 30 * time.Second
	// afterwards is how long a job that is over is still told where the pods
	// came back.
	afterwards = 10 * time.Minute
)

// job ends the pods of one plan, in a queue of its own: each is asked by itself,
// so that one that is refused holds up no other. Its goroutine alone changes it.
type job struct {
	actor *Actor
	id    int
	plan  *plan.Plan
	began time.Time

	orders orders // guarded by the registry's lock
	wake   chan struct{}

	state        plan.JobState
	why          string
	over         time.Time
	pods         []pod
	nodes        []string // in the order in which they are emptied
	atOnce       int      // of them; 0: all
	replacements replacements

	replies chan reply // holds as many as requests are on their way
	asking  sync.WaitGroup
	busy    int           // requests on their way
	sending int           // of them, those that ask for the end of a pod
	quiet   chan struct{} // closed once the job asks for no end of a pod any more
}

// orders are what the user wants of a job.
type orders struct{ paused, stopped bool }

// pod is one pod that a job ends.
type pod struct {
	plan.PodProgress
	end    *plan.End
	busy   bool // a request about it is on its way
	pauses wait.Backoff
	look   time.Time // when the server is asked whether it is there, where no snapshot tells
}

// reply is what came of a request about a pod.
type reply struct {
	pod   int
	sends bool // the end of the pod was asked for
	outcome
}

func newJob(a *Actor, p *plan.Plan) *job {
	now := a.Clock.Now()
	j := &job{
		actor: a, plan: p, began: now, state: plan.JobRuns,
		wake: make(chan struct{}, 1), replies: make(chan reply, atOnce), quiet: make(chan struct{}),
	}
	for i := range p.Ends {
		end := &p.Ends[i]
		if !asked(*end) {
			continue
		}
		p := pod{end: end, pauses: newPauses()}
		p.PodProgress = plan.PodProgress{Pod: end.Pod.Ref(), State: plan.PodWaits, Since: now, Grace: end.Grace}
		if end.Terminating {
			p.State, p.Since = plan.PodTerminating, terminatingSince(end.Pod, now)
		}
		j.pods = append(j.pods, p)
	}
	if action, ok := p.Action.(plan.Drains); ok {
		j.nodes, j.atOnce = action.DrainedNodes(), action.NodesAtOnce()
	}
	j.replacements = newReplacements(j.pods, a.State.Newest())
	return j
}

// run ends the pods. It returns when every pod that was asked is gone and has
// its successor, or when ctx ends.
func (j *job) run(ctx context.Context) {
	ticker := j.actor.Clock.NewTicker(pollEvery)
	defer ticker.Stop()
	defer j.hush()
	for {
		j.step(ctx)
		if j.settled() {
			return
		}
		select {
		case r := <-j.replies:
			j.settle(r)
		case <-j.wake:
		case <-ticker.C():
		case <-ctx.Done():
			j.abandon()
			return
		}
	}
}

// step does what there is to do now, and tells how far the job is.
func (j *job) step(ctx context.Context) {
	snapshot := j.actor.State.Newest()
	j.obey()
	if j.state == plan.JobStopped && j.sending == 0 {
		j.hush()
	}
	if j.over.IsZero() {
		j.watch(ctx, snapshot)
	}
	j.replacements.follow(j.pods, snapshot)
	if j.state == plan.JobRuns && snapshot.Status.Connection.Live {
		j.askDue(ctx)
	}
	j.explain(snapshot)
	if j.over.IsZero() && j.ended() {
		j.finish(snapshot)
	}
	j.actor.jobs.publish(j)
}

// obey does what the user wants.
func (j *job) obey() {
	if !j.over.IsZero() || j.state == plan.JobStopped {
		return
	}
	switch wanted := j.actor.jobs.ordersFor(j); {
	case wanted.stopped:
		j.state = plan.JobStopped
		j.leave()
	case wanted.paused:
		j.state = plan.JobPaused
	default:
		j.state = plan.JobRuns
	}
}

// hush says that the job asks for no end of a pod any more.
func (j *job) hush() {
	select {
	case <-j.quiet:
	default:
		close(j.quiet)
	}
}

// leave gives up what was not asked yet.
func (j *job) leave() {
	for i := range j.pods {
		p := &j.pods[i]
		if !p.busy && (p.State == plan.PodWaits || p.State == plan.PodRefused) {
			j.giveUp(p)
		}
	}
}

// giveUp leaves a pod where it is. Since when it has been waiting, and for which
// budget, stays as it was.
func (j *job) giveUp(p *pod) {
	since, budget := p.Since, p.Budget
	j.turn(p, plan.PodLeft)
	p.Since, p.Budget = since, budget
}

// explain says why the job cannot go on.
func (j *job) explain(snapshot *model.Snapshot) {
	switch {
	case !j.over.IsZero():
	case j.state == plan.JobStopped:
		j.why = "stopped: nothing more is asked"
	case !snapshot.Status.Connection.Live:
		j.why = "the connection to the API server is lost; this goes on when it is back"
	default:
		j.why = ""
	}
}

// ended says whether no pod will change any more.
func (j *job) ended() bool {
	for i := range j.pods {
		if p := &j.pods[i]; p.busy || !final(p.State) {
			return false
		}
	}
	return true
}

func final(state plan.PodState) bool {
	return state == plan.PodGone || state == plan.PodFailed || state == plan.PodLeft
}

// finish ends the job, as of that snapshot.
func (j *job) finish(snapshot *model.Snapshot) {
	j.over = j.actor.Clock.Now()
	if j.state != plan.JobStopped {
		j.state, j.why = plan.JobDone, j.newcomers(snapshot)
	}
	j.actor.conclude(j.progress())
}

// settled says whether nothing is left to be told.
func (j *job) settled() bool {
	if j.over.IsZero() {
		return false
	}
	return j.replacements.complete(j.pods) || j.actor.Clock.Since(j.over) > afterwards
}

// abandon ends the job where it is, once the requests on their way came back.
func (j *job) abandon() {
	j.asking.Wait()
	for j.busy > 0 {
		j.settle(<-j.replies)
	}
	if j.over.IsZero() && !j.ended() {
		j.state, j.why = plan.JobStopped, "stopped: fathom ended"
		j.leave()
	}
	if j.over.IsZero() {
		j.finish(j.actor.State.Newest())
	}
	j.actor.jobs.publish(j)
}

// turn brings a pod into a state.
func (j *job) turn(p *pod, state plan.PodState) {
	if p.State != state {
		p.State, p.Since = state, j.actor.Clock.Now()
	}
	p.Again, p.Budget, p.Said, p.Help = time.Time{}, "", "", ""
}

// progress is how far the job is.
func (j *job) progress() *plan.Progress {
	told := &plan.Progress{
		ID: j.id, Plan: j.plan, Name: j.plan.Action.Name(), State: j.state,
		Began: j.began, Over: j.over, Why: j.why,
		Pods: make([]plan.PodProgress, 0, len(j.pods)),
	}
	for i := range j.pods {
		told.Pods = append(told.Pods, j.pods[i].PodProgress)
	}
	return told
}

// controllerOf is the UID of what makes the pod's successor; "" without one.
func (p *pod) controllerOf() types.UID { return p.end.Pod.Owner.UID }
