package explain

import (
	"context"
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// askRefused says why a controller's pods were not created, and what would become of
// one otherwise.
func (e *Engine) askRefused(ctx context.Context, q report.Query) (*report.Report, error) {
	j, err := admission.Judge(ctx, q.Target.Refused(), admission.Sources{
		LimitRanges: e.options.LimitRanges, Quotas: e.options.Quotas, Labels: e.labelsOf,
		ClusterVersion: e.options.ClusterVersion, Now: e.options.Now(),
	})
	if err != nil {
		return nil, err
	}
	ifCreated, _, err := e.askPod(ctx, report.Query{Target: report.PodFrom(j.Pod)})
	if err != nil {
		return nil, err
	}
	r := j.Report(ifCreated)
	if q.Parts.Has(report.PreemptionPart) {
		why := "Won't help. " + r.Summary
		r.Plan = &report.PreemptionPlan{Answer: why, Why: why}
	}
	if !q.Parts.Has(report.FixesPart) {
		return r, nil
	}
	r.Tried = j.Fixes(ifCreated)
	return r.WithFixes(r.Tried), nil
}

// labelsOf are the namespace's labels, or why they are not known.
func (e *Engine) labelsOf(namespace string) (labels map[string]string, why string) {
	if why, unread := e.scheduler.Forbidden["namespaces"]; unread {
		return nil, why
	}
	object, err := e.namespaces.Get(namespace)
	if err != nil {
		return nil, fmt.Sprintf("namespace %s was not read", namespace)
	}
	return object.Labels, ""
}
