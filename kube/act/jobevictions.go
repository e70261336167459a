package act

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// askDue requests every eviction that is due, a few at a time. Those of one budget are
// requested one after the other: if it allows only some of them, these are the first
// of the plan, as the plan says.
func (j *job) askDue(ctx context.Context) {
	now, open, back := j.actor.Clock.Now(), j.openNodes(), isBack(j)
	asking := map[budget]bool{}
	for i := range j.pods {
		if p := &j.pods[i]; p.busy && p.budget() != (budget{}) {
			asking[p.budget()] = true
		}
	}
	for i := range j.pods {
		if j.busy == atOnce {
			return
		}
		p := &j.pods[i]
		if due(p, now) && !asking[p.budget()] && (open == nil || slices.Contains(open, p.end.Pod.Object.Spec.NodeName)) {
			asking[p.budget()] = p.budget() != (budget{})
			j.sending++
			j.request(i, true, func() outcome { return j.askFor(ctx, p.end, back) })
		}
	}
}

// budget is a PodDisruptionBudget; the zero value is none.
type budget struct{ namespace, name string }

// budget is the one that decides about the pod, as far as the plan knows.
func (p *pod) budget() budget {
	if p.end.Fate.Budget.Name == "" {
		return budget{}
	}
	return budget{p.Pod.Namespace, p.end.Fate.Budget.Name}
}

func due(p *pod, now time.Time) bool {
	return !p.busy && (p.State == plan.PodWaits || p.State == plan.PodBlocked) && !now.Before(p.Again)
}

// openNodes are the nodes whose pods may be evicted: the first few that still have
// pods to evict. nil is all.
func (j *job) openNodes() []string {
	if j.atOnce <= 0 || len(j.nodes) <= j.atOnce {
		return nil
	}
	left := map[string]bool{}
	for i := range j.pods {
		if p := &j.pods[i]; p.busy || !final(p.State) {
			left[p.end.Pod.Object.Spec.NodeName] = true
		}
	}
	open := make([]string, 0, j.atOnce)
	for _, node := range j.nodes {
		if left[node] && len(open) < j.atOnce {
			open = append(open, node)
		}
	}
	return open
}

// request sends a request about a pod in the background; sends: it is an eviction or a
// deletion.
func (j *job) request(i int, sends bool, do func() outcome) {
	j.pods[i].busy = true
	j.busy++
	j.asking.Go(func() {
		defer utilruntime.HandleCrash()
		j.replies <- reply{pod: i, sends: sends, outcome: do()}
	})
}

// askFor requests the eviction of a pod once, if the pod still exists. Where the API server is back,
// it reads the pod first: until it knows the role bindings again, it would refuse the eviction.
func (j *job) askFor(ctx context.Context, end *plan.End, back bool) outcome {
	ref := end.Pod.Ref()
	now, is := seen(j.actor.State.Newest(), ref)
	if is == unseen || back && is != gone {
		var err error
		if is, err = look(ctx, j.actor.Reader, ref); err != nil {
			return judge(end, err)
		}
	}
	switch {
	case is == gone:
		return outcome{state: plan.PodGone}
	case now != nil && now.Object.DeletionTimestamp != nil:
		return outcome{state: plan.PodTerminating} // by another client
	case j.actor.jobs.ordersFor(j).withdrawn():
		return outcome{state: plan.PodWaits}
	}
	err := ask(ctx, j.actor.Writer, end, false)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		if is, _ := look(ctx, j.actor.Reader, ref); is == gone {
			return outcome{state: plan.PodGone}
		}
	}
	told := judge(end, err)
	told.asked = told.state != plan.PodFailed && mayHaveDone(err)
	return told
}

// lookFor asks the server whether a pod still exists.
func (j *job) lookFor(ctx context.Context, p pod) outcome {
	if is, _ := look(ctx, j.actor.Reader, p.Pod); is == gone {
		return outcome{state: plan.PodGone}
	}
	return outcome{state: p.State}
}

// settle notes the result of a request.
func (j *job) settle(r reply) {
	p := &j.pods[r.pod]
	p.busy = false
	j.busy--
	if r.sends {
		j.sending--
		p.unclear = r.unclear(j.actor.Clock.Now())
	}
	p.requested = p.requested || r.asked
	if r.state == plan.PodAsked { // the snapshot may tell already that it is gone
		j.hasten(p)
	}
	switch {
	case final(p.State), (p.State == plan.PodTerminating || p.State == plan.PodUnknown) && r.state != plan.PodGone:
		return // the snapshot was faster
	case r.state == plan.PodTerminating:
		return // the snapshot tells more
	}
	if r.denied && isBack(j) {
		r.state = plan.PodWaits
	}
	again := r.state == plan.PodBlocked || r.state == plan.PodWaits
	if again && j.state == plan.JobStopped {
		p.Said, p.Budget = r.said, r.budget
		j.giveUp(p)
		return
	}
	if r.state == plan.PodGone {
		j.gone(p)
		return
	}
	j.turn(p, r.state)
	p.Said, p.Help, p.Budget = r.said, r.help, r.budget
	if again {
		p.Again = j.actor.Clock.Now().Add(max(p.pauses.Step(), r.pause))
	}
}

// rightsSettle is how long an API server that was lost may say that rights lack: one that has
// just started does not know all role bindings yet.
const rightsSettle = 30 * time.Second

// isBack reports whether the connection was lost a short while ago.
func isBack(j *job) bool {
	return !j.lost.IsZero() && j.actor.Clock.Now().Sub(j.lost) < rightsSettle
}

// hasten retries soon the evictions that wait for the budget that has just allowed
// one: as soon as the replacement is ready the next may follow.
func (j *job) hasten(gone *pod) {
	soon := j.actor.Clock.Now().Add(firstPause)
	for i := range j.pods {
		p := &j.pods[i]
		if p.State != plan.PodBlocked || p.Pod.Namespace != gone.Pod.Namespace || p.controllerOf() != gone.controllerOf() {
			continue
		}
		p.pauses = newPauses()
		if p.Again.After(soon) {
			p.Again = soon
		}
	}
}

// firstPause and longestPause bound the time before a rejected eviction is retried.
const (
	firstPause   = 5 * time.Second
	longestPause = 30 * time.Second
)

// newPauses are the times between the retries of a rejected eviction.
func newPauses() wait.Backoff {
	return wait.Backoff{Duration: firstPause, Factor: 1.5, Steps: 10, Cap: longestPause}
}
