package fixes

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Poll asks which fixes work for a pod.
type Poll = page.Poll[*report.Fixes]

// Ask has the fixes of v's pod simulated, unless the answer is there, on its way, or
// nobody looks.
func Ask(p *Poll, h page.Host, v page.View, pod types.UID) tea.Cmd {
	if !h.Shown(v) {
		return nil
	}
	return p.AskInParts(h, v, func(ctx context.Context, cluster page.Cluster, tell func(*report.Fixes)) (*report.Fixes, error) {
		r, err := cluster.Ask(ctx, report.Query{Target: report.PodOf(pod), Parts: report.FixesPart, Progress: tell})
		if err != nil {
			return nil, err
		}
		return r.Tried, nil
	})
}

// tried are the fixes of an answer, nil before the first.
func tried(fixes *report.Fixes) []report.Fix {
	if fixes == nil {
		return nil
	}
	return fixes.Tried
}

// IndexOf finds a fix of an answer by its title; where it is no longer there, the one
// that stands in its place. The answer is nil before the first.
func IndexOf(fixes *report.Fixes, title string, was int) int {
	all := tried(fixes)
	for i := range all {
		if all[i].Title == title {
			return i
		}
	}
	return max(0, min(was, len(all)-1))
}
