package explain

import (
	"context"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// askRefused says why a controller's pods were not created, and what would become of
// one otherwise.
func (e *Engine) askRefused(ctx context.Context, q report.Query) (*report.Report, error) {
	j, err := admission.Judge(ctx, q.Target.Refused(), admission.Sources{
		LimitRanges: e.options.LimitRanges, Quotas: e.options.Quotas, Labels: e.sources.labels,
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
