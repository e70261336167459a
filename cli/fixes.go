package cli

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

// movedBetween is the caveat of a report whose fixes were tried on another state.
const movedBetween = "the cluster changed between this explanation and the trying of its fixes; ask again"

// fixing makes asking for a report asking for its fixes too.
func (l *live) fixing(ask func(context.Context, types.UID) (*explain.Report, error)) func(context.Context, types.UID) (*explain.Report, error) {
	return func(ctx context.Context, pod types.UID) (*explain.Report, error) {
		return withFixes(
			func() (*explain.Report, error) { return ask(ctx, pod) },
			func() (*explain.Fixes, error) { return l.Fixes(ctx, pod) },
		)
	}
}

// withFixes joins a report and the fixes for its pod. Where the cluster changed
// between the two, both are asked for once more. Fixes that could not be tried
// do not keep the report from being told.
func withFixes(ask func() (*explain.Report, error), try func() (*explain.Fixes, error)) (*explain.Report, error) {
	for tries := 0; ; tries++ {
		report, err := ask()
		if err != nil {
			return nil, err
		}
		fixes, err := try()
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, explain.ErrNoPod):
			return nil, err
		case err != nil:
			said := "fixes could not be tried: " + err.Error()
			return noted(report.WithFixes(&explain.Fixes{None: said}), said), nil
		case fixes.Revision == report.Revision:
			return report.WithFixes(fixes), nil
		case tries > 0:
			return noted(report.WithFixes(fixes), movedBetween), nil
		}
	}
}

// noted is a report of our own with one caveat more.
func noted(report *explain.Report, caveat string) *explain.Report {
	report.Scheduler.Caveats = append(slices.Clone(report.Scheduler.Caveats), caveat)
	return report
}
