package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// askPlanned explains a pod of a manifest: why kube-apiserver would not create it, or where
// it would be scheduled.
func (e *Engine) askPlanned(ctx context.Context, q report.Query) (*report.Report, error) {
	admitted := q.Target.Planned().Admitted
	j, err := admission.Judge(ctx, &model.NotCreated{Pod: q.Target.Pod(), Wanted: 1, Missing: 1}, admissionSources(e, *q.Target.Planned()))
	if err != nil {
		return nil, err
	}
	if created, _ := j.Created(1); created == 0 {
		return wouldNotBeCreated(ctx, e, q, j)
	}
	q.Target = report.PodFrom(j.Pod)
	r, err := e.askNew(ctx, q)
	if err != nil || admitted || len(j.Unknown()) == 0 { // quotas that may not be read have admitted it
		return r, err
	}
	told := *r
	told.Unknown = report.MergeUnknown(r.Unknown, j.Unknown())
	if why := report.CreationUnknown(told.Unknown); why != "" && r.Verdict == report.Schedulable {
		told.Summary += " Whether it would be created is unknown: " + why + "."
	}
	return &told, nil
}

// wouldNotBeCreated explains why the pod of a manifest would not be created.
func wouldNotBeCreated(ctx context.Context, e *Engine, q report.Query, j *admission.Judgement) (*report.Report, error) {
	ifCreated, err := e.askNew(ctx, report.Query{Target: report.PodFrom(j.Pod)})
	if err != nil {
		return nil, err
	}
	r := j.Planned(ifCreated)
	if q.Parts.Has(report.PreemptionPart) {
		why := "Won't help. " + r.Summary
		r.Plan = &report.PreemptionPlan{Answer: why, Why: why}
	}
	if !q.Parts.Has(report.FixesPart) {
		return r, nil
	}
	r.Tried = j.Fixes(ifCreated, q.NotCreated)
	return r.WithFixes(r.Tried), nil
}

// mostCounted is for how many replicas quotas are asked; all that come after them are taken to
// be created.
const mostCounted = 10_000

// Replicas places equal pods, which do not exist, one after another in a simulated state: no more
// than kube-apiserver would create, with the claims that are made for each of them.
func Replicas(ctx context.Context, e *Engine, pod *corev1.Pod, wanted int, known report.Admittance) (*report.Replicas, error) {
	j, err := admission.Judge(ctx, &model.NotCreated{Pod: pod}, admissionSources(e, known))
	if err != nil {
		return nil, err
	}
	counted := min(wanted, mostCounted)
	created, rejected := j.Created(counted)
	if created == counted {
		created = wanted
	}
	r, err := replicasOf(ctx, e, j.Pod, created)
	if err != nil {
		return nil, err
	}
	r.Wanted = wanted
	if created < wanted && r.Fit != nil && *r.Fit == created {
		r.Rejected, r.Why = true, "kube-apiserver would reject it"
		if len(rejected) > 0 {
			r.Why = rejected[0].What
		}
	}
	return r, nil
}
