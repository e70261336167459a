package act

import (
	"context"
	"fmt"
	"slices"
	"sync"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// registry holds the jobs of a run.
type registry struct {
	mu       sync.Mutex
	jobs     []*job
	told     []*plan.Progress // of each job, the newest
	revision int
	changed  chan struct{} // closed at the next change; nil: nobody waits

	running context.Context // of all jobs
	end     context.CancelFunc
	tasks   sync.WaitGroup
}

// Jobs are those of this run, the newest first.
func (a *Actor) Jobs() []*plan.Progress {
	a.jobs.mu.Lock()
	defer a.jobs.mu.Unlock()
	return a.jobs.newestFirst()
}

func (r *registry) newestFirst() []*plan.Progress {
	told := slices.Clone(r.told)
	slices.Reverse(told)
	return told
}

// NextJobs waits until a job is not as it was at that revision; 0 is before the
// first job.
func (a *Actor) NextJobs(ctx context.Context, revision int) ([]*plan.Progress, int, error) {
	r := &a.jobs
	for {
		r.mu.Lock()
		if r.revision > revision {
			defer r.mu.Unlock()
			return r.newestFirst(), r.revision, nil
		}
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, revision, ctx.Err()
		}
	}
}

// Pause suspends a job, or resumes it.
func (a *Actor) Pause(id int, on bool) { a.jobs.order(id, func(o *orders) { o.paused = on }) }

// Stop stops a job: requested evictions go on, no more are requested.
func (a *Actor) Stop(id int) { a.jobs.order(id, func(o *orders) { o.stopped = true }) }

func (r *registry) order(id int, change func(*orders)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id < 1 || id > len(r.jobs) {
		return
	}
	j := r.jobs[id-1]
	change(&j.orders)
	select {
	case j.wake <- struct{}{}:
	default: // it looks already
	}
}

// ordersFor are the current orders of the user.
func (r *registry) ordersFor(j *job) orders {
	r.mu.Lock()
	defer r.mu.Unlock()
	return j.orders
}

// enlist makes the job of a plan that was confirmed and carried out; nil if the plan
// evicts and deletes no pods.
func (a *Actor) enlist(confirmed plan.Confirmed) *job {
	plan := confirmed.Plan()
	if !plan.Ends.Requested() {
		return nil
	}
	j := newJob(a, plan)
	a.jobs.mu.Lock()
	defer a.jobs.mu.Unlock()
	a.jobs.jobs = append(a.jobs.jobs, j)
	a.jobs.told = append(a.jobs.told, nil)
	j.id = len(a.jobs.jobs)
	a.jobs.tell(j)
	return j
}

// start lets a job run until it is over, or the Actor is closed.
func (a *Actor) start(j *job, confirmed plan.Confirmed) {
	a.jobs.mu.Lock()
	defer a.jobs.mu.Unlock()
	ctx := withConfirmation(a.jobs.running, confirmed, func() bool { return a.jobs.ordersFor(j).withdrawn() })
	a.jobs.tasks.Go(func() {
		defer utilruntime.HandleCrash()
		j.run(ctx)
	})
}

// publish wakes those who wait for progress of the job.
func (r *registry) publish(j *job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(j)
}

// tell notes the progress of a job, if it changed.
func (r *registry) tell(j *job) {
	news := j.progress()
	if last := r.told[j.id-1]; last != nil {
		news.Revision = last.Revision
		if same(last, news) {
			return
		}
	}
	r.revision++
	news.Revision = r.revision
	r.told[j.id-1] = news
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

func same(a, b *plan.Progress) bool {
	return a.State == b.State && a.Why == b.Why && a.Over.Equal(b.Over) && slices.Equal(a.Pods, b.Pods)
}

// Close ends all jobs as they are and waits for them: nothing more is requested, and for what was, answers are
// waited for a little. Requested evictions go on in the cluster.
func (a *Actor) Close() {
	a.jobs.mu.Lock()
	for _, j := range a.jobs.jobs {
		j.orders.closed = true
	}
	a.jobs.end()
	a.jobs.mu.Unlock()
	a.jobs.tasks.Wait()
}

// conclude notes the result of a job in the activity log.
func (a *Actor) conclude(p *plan.Progress) {
	a.activity.revise(func(e plan.Entry) bool { return e.Job == p.ID }, func(e *plan.Entry) { e.Result, e.OK = resultOf(p) })
}

// resultOf is the result of a job: "7 of 11 evicted, 1 gone already, 1 rejected, stopped".
func resultOf(p *plan.Progress) (words string, ok bool) {
	went := p.Count(plan.PodGone)
	ended := "evicted"
	if slices.ContainsFunc(p.Plan.Ends, func(end plan.End) bool { return end.How == plan.Deleted }) {
		ended = "deleted"
	}
	already := p.CountGoneAlready()
	words = fmt.Sprintf("%d of %d %s", went-already, len(p.Pods), ended)
	if already > 0 {
		words += fmt.Sprintf(", %d gone already", already)
	}
	if n := p.Count(plan.PodFailed); n > 0 {
		words += fmt.Sprintf(", %d rejected", n)
	}
	if n := p.Count(plan.PodUnknown); n > 0 {
		words += fmt.Sprintf(", %d unknown", n)
	}
	switch {
	case p.State == plan.JobStopped:
		words += ", stopped"
	case p.Why != "":
		words += "; " + p.Why
	}
	return words, went == len(p.Pods) && p.Why == ""
}
