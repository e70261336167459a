package explain

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/ephemeral"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// unmade says why a yes about a pod without the claims that are made for it does not count.
const unmade = "is not simulated for claims that do not exist yet"

// askNew answers for a pod that does not exist. What rejects it without the claims that are made
// for it from templates holds all the same. Where nothing does, it is asked about with them, in a
// simulated state.
func (e *Engine) askNew(ctx context.Context, q report.Query) (*report.Report, error) {
	pod := q.Target.Pod()
	bare, err := withoutMadeClaims(ctx, e, pod)
	if err != nil {
		return nil, err
	}
	if bare == pod {
		r, _, err := e.askPod(ctx, q, nil)
		return r, err
	}
	of, err := newFitTemplate(ctx, e, pod, 1)
	if err != nil {
		return nil, err
	}
	q.Target = report.PodFrom(bare)
	r, _, err := e.askPod(ctx, q, of.unknown)
	if err != nil {
		return nil, err
	}
	told := *r
	if r.Verdict == report.Schedulable {
		with, err := of.explain(ctx, e)
		if err != nil {
			return nil, err
		}
		told = *with
		told.Pod, told.CreatedAt, told.Scheduler.Caveats = r.Pod, r.CreatedAt, slices.Clone(r.Scheduler.Caveats)
		told.Tried, told.Fixes, told.Plan, told.Preemption, told.Trace, told.Cycle = r.Tried, r.Fixes, r.Plan, r.Preemption, r.Trace, r.Cycle
	}
	told.Scheduler.Caveats = append(slices.Clone(told.Scheduler.Caveats), of.caveats...)
	if len(told.Trace) > 0 {
		told.Scheduler.Caveats = append(told.Scheduler.Caveats, "the trace is that of the pod without the claims that are made for it")
	}
	if told.Verdict == report.Schedulable {
		return &told, nil
	}
	return withoutPromises(q, &told, r.Verdict == report.Schedulable), nil
}

// withoutPromises are the fixes and the preemption plan of a report as far as they hold for a pod whose
// claims they leave out. rejected says that only its claims reject the pod: nothing was simulated.
func withoutPromises(q report.Query, told *report.Report, rejected bool) *report.Report {
	if rejected && q.Parts.Has(report.PreemptionPart) {
		told.Preemption, told.Plan = nil, &report.PreemptionPlan{Answer: "Unknown: preemption " + unmade + ".", Why: "preemption " + unmade}
	}
	switch {
	case !q.Parts.Has(report.FixesPart):
		return told
	case rejected:
		told.Tried = &report.Fixes{None: "what would help " + unmade}
	default:
		tried := *told.Tried
		tried.Tried = slices.Clone(tried.Tried)
		for i := range tried.Tried {
			if fix := &tried.Tried[i]; fix.Verified {
				fix.Verified, fix.Open, fix.Remaining = false, true, append(slices.Clone(fix.Remaining), "unknown: where the volumes and devices of its claims would be")
			}
		}
		told.Tried = &tried
	}
	return told.WithFixes(told.Tried)
}

// explain explains one of the pods with the claims that are made for it.
func (t *fitTemplate) explain(ctx context.Context, e *Engine) (*report.Report, error) {
	said, err := e.sources.gather(ctx, func() *corev1.Pod { return t.Pod })
	if err != nil {
		return nil, err
	}
	named := t.Template
	named.Pod = withName(t.Pod)
	one := &fitCount{engine: e, on: e.scheduler.State.NewSimulatedState(nil, nil), of: t, said: said}
	return one.explainWith(ctx, named.AsOnlyPod)
}

// withoutMadeClaims is a pod that does not exist, without the claims that are made for it from
// templates once it does; the pod itself where there are none.
func withoutMadeClaims(ctx context.Context, e *Engine, pod *corev1.Pod) (bare *corev1.Pod, err error) {
	err = e.scheduler.Hold(ctx, nil, func() error {
		bare = bareOf(e.scheduler.State.Listers, pod)
		return nil
	})
	return bare, err
}

// bareOf is withoutMadeClaims while the scheduler is held.
func bareOf(l plugins.Listers, pod *corev1.Pod) *corev1.Pod {
	made := func(use corev1.PodResourceClaim) bool { return use.ResourceClaimTemplateName != nil }
	unmade := func(volume corev1.Volume) bool {
		if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
			return false
		}
		if set, _ := admission.SetClaim(&volume, 0); set != "" {
			return true
		}
		_, err := l.Claim(pod.Namespace, ephemeral.VolumeClaimName(pod, &volume))
		return err != nil // one of another pod is in the way
	}
	bare := pod
	if slices.ContainsFunc(pod.Spec.ResourceClaims, made) {
		bare = bare.DeepCopy()
		bare.Spec.ResourceClaims = slices.DeleteFunc(bare.Spec.ResourceClaims, made)
	}
	if slices.ContainsFunc(pod.Spec.Volumes, unmade) {
		bare = bare.DeepCopy()
		bare.Spec.Volumes = slices.DeleteFunc(bare.Spec.Volumes, unmade)
	}
	return bare
}

// leaveOpen notes what was left out of the question: a yes does not count then.
func leaveOpen(x *explanation, open []report.UnknownPart) {
	if len(open) == 0 {
		return
	}
	x.report.Unknown = report.MergeUnknown(x.report.Unknown, open)
	if x.report.Verdict == report.Schedulable {
		x.report.Verdict, x.report.SchedulerMessage = report.Unknown, ""
	}
}

// replicasOf places so many pods like one, which do not exist, one after another in a simulated
// state, with the claims that are made for each of them.
func replicasOf(ctx context.Context, e *Engine, pod *corev1.Pod, wanted int) (*report.Replicas, error) {
	bare, err := withoutMadeClaims(ctx, e, pod)
	if err != nil {
		return nil, err
	}
	if bare == pod && len(pod.Spec.ResourceClaims) == 0 {
		return placement.Replicas(ctx, e.scheduler, pod, wanted)
	}
	of, err := newFitTemplate(ctx, e, pod, wanted)
	if err != nil {
		return nil, err
	}
	if len(of.unknown) > 0 { // only that none fits is known
		r, err := placement.Replicas(ctx, e.scheduler, bare, min(wanted, 1))
		return onlyIfNone(r, of.unknown), err
	}
	claimed, err := of.claimed(ctx, e, min(wanted, mostCounted))
	if err != nil {
		return nil, err
	}
	if claimed.pods == mostCounted {
		claimed.pods = wanted
	}
	filled, err := placement.Fill(ctx, e.scheduler, e.scheduler.State.NewSimulatedState(nil, nil), of.Template, claimed.pods)
	if err != nil {
		return nil, err
	}
	r := &report.Replicas{Wanted: wanted, Placed: len(filled.Nodes), Chance: filled.Chance, Why: filled.Why}
	switch open := append(filled.Unknown, claimed.unknown...); {
	case filled.Stopped, r.Placed == wanted:
		r.Fit = &r.Placed
	case len(open) > 0:
		r.Why = open[0].Why
	case len(claimed.notCreated) > 0:
		r.Fit, r.Rejected, r.Why = &r.Placed, true, claimed.notCreated[0].What
	default:
		r.Fit, r.Why = &r.Placed, "kube-apiserver would reject "+claimed.rejection
	}
	return r, nil
}

// onlyIfNone leaves open how many replicas fit that were placed without what was left out of them.
func onlyIfNone(r *report.Replicas, open []report.UnknownPart) *report.Replicas {
	if r != nil && len(open) > 0 && r.Placed > 0 {
		r.Fit, r.Placed, r.Why = nil, 0, open[0].Why
	}
	return r
}
