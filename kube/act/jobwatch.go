package act

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// overdue is how long beyond its grace period a pod may terminate before the reason
// is shown.
const overdue = 10 * time.Second

// watch follows the pods in the newest snapshot. A pod is done once it is deleted.
func (j *job) watch(ctx context.Context, snapshot *model.Snapshot) {
	now := j.actor.Clock.Now()
	for i := range j.pods {
		p := &j.pods[i]
		if p.State == plan.PodGone || p.State == plan.PodLeft {
			continue
		}
		found, is := seen(snapshot, p.Pod)
		switch {
		case is == gone && p.busy && !p.requested: // the reply tells whether the job has done it
		case is == gone:
			j.gone(p)
		case !trusted(snapshot, p.Pod.Namespace):
			j.lookDue(ctx, i, now)
		case found.Object.DeletionTimestamp != nil:
			j.terminating(p, found, now)
		case p.State == plan.PodUnknown && now.Sub(p.unclear) >= untilSeen:
			j.turn(p, plan.PodLeft) // the server did not do it
		}
	}
}

// gone notes that a pod is gone, and if nothing that the job requested has done it.
func (j *job) gone(p *pod) {
	j.turn(p, plan.PodGone)
	if !p.requested {
		p.Help = plan.GoneAlready
	}
}

// lookDue asks the server periodically whether a pod still exists, while no snapshot
// shows it.
func (j *job) lookDue(ctx context.Context, i int, now time.Time) {
	p := &j.pods[i]
	ending := p.State == plan.PodAsked || p.State == plan.PodTerminating || p.State == plan.PodUnknown
	if !ending || p.busy || j.busy == atOnce || now.Before(p.look) {
		return
	}
	p.look = now.Add(firstPause)
	was := *p
	j.request(i, false, func() outcome { return j.lookFor(ctx, was) })
}

// terminating notes that a pod terminates, and the reason if it takes too long.
func (j *job) terminating(p *pod, found *model.Pod, now time.Time) {
	if p.State != plan.PodTerminating {
		j.turn(p, plan.PodTerminating)
		p.Since = terminatingSince(found, now)
	}
	if grace := found.Object.DeletionGracePeriodSeconds; grace != nil {
		p.Grace = time.Duration(*grace) * time.Second
	}
	p.Help = ""
	if now.Sub(p.Since) > p.Grace+overdue {
		p.Help = holds(found)
	}
}

// terminatingSince is when the deletion was requested: the API keeps the end of the
// grace period.
func terminatingSince(p *model.Pod, now time.Time) time.Time {
	deletion, grace := p.Object.DeletionTimestamp, p.Object.DeletionGracePeriodSeconds
	if deletion == nil || grace == nil {
		return now
	}
	if began := deletion.Add(-time.Duration(*grace) * time.Second); began.Before(now) {
		return began
	}
	return now // the server's clock is ahead
}

// holds is why a pod still exists after its grace period.
func holds(p *model.Pod) string {
	if finalizers := p.Object.Finalizers; len(finalizers) > 0 {
		return "waiting for its finalizer " + model.Clean(strings.Join(finalizers, ", "))
	}
	return fmt.Sprintf("the kubelet of %s has not stopped it: check that the node is Ready", model.Clean(p.Object.Spec.NodeName))
}

// uncordoned says which of the nodes somebody else has uncordoned since; "" where none.
func uncordoned(j *job, snapshot *model.Snapshot) string {
	var where []string
	for _, name := range j.nodes {
		switch node, found := snapshot.Node(name); {
		case !found:
		case node.Cordoned:
			j.cordoned[name] = true
		case j.cordoned[name]:
			where = append(where, model.Clean(name))
		}
	}
	if len(where) == 0 {
		return ""
	}
	return fmt.Sprintf("%s uncordoned meanwhile: pods may be scheduled there again", grammar.Agree(len(where), where[0]+" was", strings.Join(where, ", ")+" were"))
}

// newcomers names pods that started on the drained nodes after the plan was made, whose
// eviction nobody confirmed; "" without any.
func (j *job) newcomers(snapshot *model.Snapshot) string {
	known := map[types.UID]bool{}
	for i := range j.plan.Ends {
		known[j.plan.Ends[i].Pod.Object.UID] = true
	}
	var where []string
	count := 0
	for _, name := range j.nodes {
		node, found := snapshot.Node(name)
		if !found {
			continue
		}
		came := 0
		for _, p := range node.Pods {
			if !known[p.Object.UID] && !model.IsMirror(p.Object) && p.Owner.Kind != "DaemonSet" {
				came++
			}
		}
		if came > 0 {
			where, count = append(where, model.Clean(name)), count+came
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%s started on %s after the plan was made: drain again", plan.CountPods(count), strings.Join(where, ", "))
}
