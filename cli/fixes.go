package cli

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// movedBetween is the caveat of a report whose fixes were tried on another state.
const movedBetween = "the cluster changed between this explanation and the trying of its fixes; ask again"

// fixing makes asking for a report asking for its fixes too.
func (l *live) fixing(ask func(context.Context, types.UID) (*report.Report, error)) func(context.Context, types.UID) (*report.Report, error) {
	return func(ctx context.Context, pod types.UID) (*report.Report, error) {
		return withFixes(
			func() (*report.Report, error) { return ask(ctx, pod) },
			func() (*report.Fixes, error) { return l.Fixes(ctx, pod) },
		)
	}
}

// withFixes joins a report and the fixes for its pod. Where the cluster changed
// between the two, both are asked for once more. Fixes that could not be tried
// do not keep the report from being told.
func withFixes(ask func() (*report.Report, error), try func() (*report.Fixes, error)) (*report.Report, error) {
	for tries := 0; ; tries++ {
		r, err := ask()
		if err != nil {
			return nil, err
		}
		fixes, err := try()
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, explain.ErrNoPod):
			return nil, err
		case err != nil:
			said := "fixes could not be tried: " + err.Error()
			return noted(r.WithFixes(&report.Fixes{None: said}), said), nil
		case fixes.Revision == r.Revision:
			return r.WithFixes(fixes), nil
		case tries > 0:
			return noted(r.WithFixes(fixes), movedBetween), nil
		}
	}
}

// noted is a report of our own with one caveat more.
func noted(report *report.Report, caveat string) *report.Report {
	report.Scheduler.Caveats = append(slices.Clone(report.Scheduler.Caveats), caveat)
	return report
}
