package cli

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestAReportAndItsFixesAreOfOneState(t *testing.T) {
	for _, test := range []struct {
		name             string
		reports, fixes   []int64 // revisions, one a question
		asked            int
		caveats          []string
		err, wanted      error
		summary          string
		fixesAreReported int
	}{
		{name: "at once", reports: []int64{4}, fixes: []int64{4}, asked: 1, summary: "1 fix works.", fixesAreReported: 1},
		{name: "the second time", reports: []int64{4, 6}, fixes: []int64{5, 6}, asked: 2, summary: "1 fix works.", fixesAreReported: 1},
		{
			name: "never", reports: []int64{4, 6}, fixes: []int64{5, 7}, asked: 2, caveats: []string{movedBetween},
			summary: "1 fix works.", fixesAreReported: 1,
		},
		{
			name: "not to be tried", reports: []int64{4}, err: errors.New("the engine is closed"), asked: 1,
			caveats: []string{"fixes could not be tried: the engine is closed"}, summary: "Fixes could not be tried: the engine is closed.",
		},
		{name: "cancelled", reports: []int64{4}, err: context.Canceled, wanted: context.Canceled, asked: 1},
		{name: "gone since", reports: []int64{4}, err: explain.ErrNoPod, wanted: explain.ErrNoPod, asked: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			report, err := withFixes(
				func() (*report.Report, error) {
					asked++
					return &report.Report{Revision: test.reports[asked-1]}, nil
				},
				func() (*report.Fixes, error) {
					if test.err != nil {
						return nil, test.err
					}
					return &report.Fixes{Revision: test.fixes[asked-1], Tried: []report.Fix{{Verified: true}}}, nil
				},
			)
			if !errors.Is(err, test.wanted) || asked != test.asked {
				t.Fatalf("asked %d times, error %v; want %d, %v", asked, err, test.asked, test.wanted)
			}
			if err != nil {
				return
			}
			if !slices.Equal(report.Scheduler.Caveats, test.caveats) || report.FixSummary != test.summary || len(report.Fixes) != test.fixesAreReported {
				t.Errorf("%d fixes, %q, caveats %q", len(report.Fixes), report.FixSummary, report.Scheduler.Caveats)
			}
		})
	}
}
