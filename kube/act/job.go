package act

import (
	"context"
	"slices"
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
	// untilSeen is how long a snapshot may take to show what the server did.
	untilSeen = 5 * time.Second
	// lastAnswers is how long a job that ends waits for answers to what it requested.
	lastAnswers = 2 * time.Second
	// afterwards is how long a finished job still follows the replacements of its
	// pods.
	afterwards = 10 * time.Minute
)

// job evicts the pods of one plan, each by itself, so that a rejected eviction delays
// no other. Only its goroutine changes it.
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
	nodes        []string        // in the order in which they are drained
	cordoned     map[string]bool // those of them that were seen cordoned
	atOnce       int             // of them; 0: all
	replacements replacements

	replies chan reply // capacity: the requests in flight
	asking  sync.WaitGroup
	busy    int           // requests in flight
	sending int           // of these, evictions and deletions
	quiet   chan struct{} // closed once the job requests no more evictions
	lost    time.Time     // when the connection was lost last, as of the newest snapshot; zero: never
}

// orders are what the user requested of a job.
type orders struct {
	paused, stopped bool
	closed          bool // the Actor is being closed
}

// withdrawn reports whether nothing more may be sent.
func (o orders) withdrawn() bool { return o.stopped || o.closed }

// pod is one pod that a job evicts or deletes.
type pod struct {
	plan.PodProgress
	end       *plan.End
	busy      bool      // a request about it is in flight
	requested bool      // its eviction or deletion was requested, and the server may have done it
	unclear   time.Time // when it was last requested without a clear answer; zero: the last answer was clear
	pauses    wait.Backoff
	look      time.Time // when the server is asked whether it is there, where no snapshot tells
}

// reply is what came of a request about a pod.
type reply struct {
	pod   int
	sends bool // its eviction or deletion was requested
	outcome
}

// unclear is now where it was a request without a clear answer; zero: the answer was clear.
func (r reply) unclear(now time.Time) time.Time {
	if r.asked && r.state == plan.PodWaits {
		return now
	}
	return time.Time{}
}

func newJob(a *Actor, p *plan.Plan) *job {
	now := a.Clock.Now()
	j := &job{
		actor: a, plan: p, began: now, state: plan.JobRuns,
		wake: make(chan struct{}, 1), replies: make(chan reply, atOnce), quiet: make(chan struct{}),
	}
	for i := range p.Ends {
		end := &p.Ends[i]
		if !end.Requested() {
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
		j.nodes, j.atOnce, j.cordoned = action.DrainedNodes(), action.NodesAtOnce(), map[string]bool{}
		for _, condition := range p.Preconditions {
			j.cordoned[condition.Target.Name] = true
		}
	}
	j.replacements = newReplacements(j.pods, a.State.Newest())
	return j
}

// run evicts the pods. It returns when every pod is deleted and has its replacement,
// or soon after ctx ends: requests in flight may still be answered.
func (j *job) run(ctx context.Context) {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ticker := j.actor.Clock.NewTicker(pollEvery)
	defer ticker.Stop()
	defer j.hush()
	for {
		j.step(requests)
		if j.settled() {
			return
		}
		select {
		case r := <-j.replies:
			j.settle(r)
		case <-j.wake:
		case <-ticker.C():
		case <-ctx.Done():
			j.abandon(cancel)
			return
		}
	}
}

// step does what is due, and publishes the progress.
func (j *job) step(ctx context.Context) {
	snapshot := j.actor.State.Newest()
	j.obey()
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
	if (j.state == plan.JobStopped || !j.over.IsZero()) && j.sending == 0 {
		j.hush() // after it was published, so that whoever waited for it finds the job stopped
	}
}

// obey applies the orders of the user.
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

// hush marks that the job requests no more evictions.
func (j *job) hush() {
	select {
	case <-j.quiet:
	default:
		close(j.quiet)
	}
}

// leave gives up the evictions that were not requested yet.
func (j *job) leave() {
	for i := range j.pods {
		p := &j.pods[i]
		if !p.busy && (p.State == plan.PodWaits || p.State == plan.PodBlocked) {
			j.giveUp(p)
		}
	}
}

// giveUp leaves a pod on its node, as far as that is known. Since and Budget keep their values.
func (j *job) giveUp(p *pod) {
	since, budget, said := p.Since, p.Budget, p.Said
	if !p.unclear.IsZero() && j.actor.Clock.Since(p.unclear) < untilSeen {
		j.turn(p, plan.PodUnknown)
		p.Said = said
		return
	}
	j.turn(p, plan.PodLeft)
	p.Since, p.Budget = since, budget
}

// explain notes why the job cannot continue.
func (j *job) explain(snapshot *model.Snapshot) {
	switch {
	case !j.over.IsZero():
	case j.state == plan.JobStopped:
		j.why = "no more evictions are requested"
	case !snapshot.Status.Connection.Live:
		j.why, j.lost = "the connection to the API server is lost; this continues when it is back", j.actor.Clock.Now()
	default:
		j.why = uncordoned(j, snapshot)
	}
}

// ended reports whether no pod will change any more.
func (j *job) ended() bool {
	for i := range j.pods {
		p := &j.pods[i]
		unknown := p.State == plan.PodUnknown && j.actor.Clock.Since(p.unclear) >= longestPause // no snapshot tells
		if p.busy || !final(p.State) && !unknown {
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
	switch {
	case j.state != plan.JobStopped:
		j.state, j.why = plan.JobDone, j.newcomers(snapshot)
	case !slices.ContainsFunc(j.pods, func(p pod) bool { return p.State != plan.PodGone }):
		j.why = "" // it was stopped when there was nothing left to request
	}
	j.actor.conclude(j.progress())
}

// settled reports whether nothing more is expected.
func (j *job) settled() bool {
	if j.over.IsZero() {
		return false
	}
	return j.replacements.complete(j.pods) || j.actor.Clock.Since(j.over) > afterwards
}

// abandon ends the job as it is, once the requests in flight have returned. Those that take long are cancelled: the
// server may carry them out all the same.
func (j *job) abandon(cancel func()) {
	late := j.actor.Clock.NewTimer(lastAnswers)
	defer late.Stop()
	for j.busy > 0 {
		select {
		case r := <-j.replies:
			j.settle(r)
		case <-late.C():
			cancel()
		}
	}
	j.asking.Wait()
	if j.over.IsZero() && !j.ended() {
		j.state, j.why = plan.JobStopped, "fathom exited"
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

// controllerOf is the UID of the controller that replaces the pod; "" without one.
func (p *pod) controllerOf() types.UID { return p.end.Pod.Owner.UID }
