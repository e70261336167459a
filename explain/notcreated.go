package explain

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/explain/formerpods"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rollout"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// askNotCreated says why a controller's pods were not created, and what would become of
// one otherwise.
func (e *Engine) askNotCreated(ctx context.Context, q report.Query) (*report.Report, error) {
	known, err := classesOf(ctx, e, q.Target.NotCreated().Pod)
	if err != nil {
		return nil, err
	}
	j, err := admission.Judge(ctx, q.Target.NotCreated(), admission.Sources{
		Admittance:  known,
		LimitRanges: e.options.LimitRanges, Quotas: e.options.Quotas, Labels: e.sources.labels, Terminating: e.sources.terminating,
		ClusterVersion: e.options.ClusterVersion, Now: e.options.Now(), Finished: func(ctx context.Context, namespace string) (map[admission.Finished]int, error) {
			return finishedIn(ctx, e, namespace)
		},
	})
	if err != nil {
		return nil, err
	}
	ifCreated, err := e.askNew(ctx, report.Query{Target: report.PodFrom(j.Pod)})
	if err != nil {
		return nil, err
	}
	if subject, suspended := kueue.SubjectOfSuspended(q.Target.NotCreated()); suspended {
		var state *kueue.State
		if e.options.Queue != nil {
			state = e.options.Queue(ctx, subject)
		}
		return suspendedReport(q, j.Report(ifCreated), kueue.Judge(state, "spec.suspend", e.options.Now())), nil
	}
	r := j.Report(ifCreated)
	later, err := rejectedLater(ctx, e, j.Pod, q.Target.NotCreated().Missing)
	if err != nil {
		return nil, err
	}
	r.Unknown = report.MergeUnknown(r.Unknown, later)
	err = e.scheduler.Hold(ctx, nil, func() error {
		r.Rollout, r.FailedPods = rollout.Of(e.scheduler.State, j.Pod), formerpods.Failed(e.scheduler.State, j.Pod)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if q.Parts.Has(report.PreemptionPart) {
		why := "Won't help. " + r.Summary
		r.Plan = &report.PreemptionPlan{Answer: why, Why: why}
	}
	if !q.Parts.Has(report.FixesPart) {
		return r, nil
	}
	if r.Tried, err = fixesOfNotCreated(ctx, e, j, ifCreated, q); err != nil {
		return nil, err
	}
	for i := range r.Tried.Tried {
		if fix := &r.Tried.Tried[i]; len(later) > 0 {
			fix.Open, fix.Verified, fix.Remaining = true, false, append(fix.Remaining, "unknown: "+later[0].Why)
		}
	}
	return r.WithFixes(r.Tried), nil
}

// fixesOfNotCreated are changes of the template, where LimitRanges reject its pods, or else quotas to raise.
func fixesOfNotCreated(ctx context.Context, e *Engine, j *admission.Judgement, ifCreated *report.Report, q report.Query) (*report.Fixes, error) {
	changes := j.LimitChanges()
	if len(changes) == 0 {
		return j.Fixes(ifCreated, q.NotCreated), nil
	}
	return fixes.ForLimitRange(ctx, e.means(), j.Pod, q.Target.NotCreated().Missing, changes)
}

// classesOf says which class does not exist that the pod of a controller names, as far as that can be
// read. The error is the context's.
func classesOf(ctx context.Context, e *Engine, pod *corev1.Pod) (report.Admittance, error) {
	by := metav1.GetControllerOfNoCopy(pod)
	switch {
	case by == nil || !namesClass(pod):
		return report.Admittance{}, nil
	case e.options.Created == nil && e.options.MissingClasses != nil:
		return report.Admittance{Rejected: e.options.MissingClasses(ctx, pod)}, nil
	case e.options.Created == nil:
		return report.Admittance{}, nil
	}
	_, missing, err := e.options.Created(ctx, pod.Namespace, by)
	if err != nil {
		return report.Admittance{}, ctx.Err() // what could not be read may exist
	}
	return report.Admittance{Rejected: missing}, nil
}

// finishedIn counts the pods of a namespace that have finished and are not deleted.
func finishedIn(ctx context.Context, e *Engine, namespace string) (map[admission.Finished]int, error) {
	finished := map[admission.Finished]int{}
	err := e.scheduler.Hold(ctx, nil, func() error {
		for _, pod := range e.scheduler.State.Pods {
			if pod.Namespace == namespace && scheduler.Terminal(pod) {
				finished[admission.FinishedOf(pod)]++
			}
		}
		return nil
	})
	return finished, err
}

// suspendedReport is the answer for a Job that Kueue keeps suspended, from what would be said if
// its pods had been rejected, and what Kueue says.
func suspendedReport(q report.Query, r *report.Report, queue *report.Queue) *report.Report {
	refused := q.Target.NotCreated()
	held := fmt.Sprintf("job %s is suspended until Kueue admits its Workload: it has no pods yet and needs quota for %s at once",
		refused.Pod.OwnerReferences[0].Name, grammar.Plural(refused.Wanted, "pod"))
	r.State, r.BlockedBy, r.Queue = "queued", "queue", queue
	r.Summary, r.Why, r.Facts = "Queued: "+held+" (LocalQueue "+refused.Queue+").", refused.Queue+", Job suspended", nil
	if queue != nil {
		r.Summary, r.Why, r.Facts = "Queued by "+queue.Summary, queue.Short, []string{grammar.Capital(held)}
	}
	for _, rejection := range r.Admission.Rejections {
		r.Facts = append(r.Facts, "If its pods were created now: "+rejection.What)
	}
	r.Facts = append(r.Facts, admission.IfCreated("a pod were", r.Admission.IfCreated))
	r.Admission = nil
	if q.Parts.Has(report.PreemptionPart) {
		why := "Won't help. " + r.Summary
		r.Plan = &report.PreemptionPlan{Answer: why, Why: why}
	}
	if !q.Parts.Has(report.FixesPart) {
		return r
	}
	see := "see its Workload and LocalQueue " + refused.Queue
	r.Tried = &report.Fixes{Advice: "Kueue holds it: " + see, Tried: []report.Fix{{
		Title: see, Kind: report.FixQueue, Affects: []report.Affected{}, Remaining: []string{"suspended until Kueue admits its Workload"}, Steps: 1,
	}}}
	return r.WithFixes(r.Tried)
}
