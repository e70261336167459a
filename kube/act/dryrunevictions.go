package act

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// mostTries is how many evictions and deletions of one plan are tried as dry runs.
const mostTries = 50

// tryEnds has the API server try the evictions and deletions of a plan, of many only
// the first. A rejection by a PodDisruptionBudget is no objection, because the eviction
// is tried again: it is counted. Where the forecast expects one, nothing is tried.
func tryEnds(ctx context.Context, client kubernetes.Interface, p *plan.Plan) error {
	var tried []*plan.End
	for i := range p.Ends {
		switch end := &p.Ends[i]; {
		case !asked(*end) || end.Terminating:
		case end.Fate.Budget.Allows == plan.BudgetWaits:
			p.Verdict.Waiting++
		default:
			tried = append(tried, end)
		}
	}
	if len(tried)+len(p.Changes) == 0 && p.Verdict.Waiting > 0 {
		p.Verdict.Asked, p.Verdict.Skipped = false, "PodDisruptionBudgets block all evictions for now"
		return nil
	}
	if len(tried) > mostTries {
		p.Verdict.Untried, tried = len(tried)-mostTries, tried[:mostTries]
	}
	refused, blocked := make([]string, len(tried)), make([]bool, len(tried))
	trying, ctx := errgroup.WithContext(ctx)
	trying.SetLimit(atOnce)
	for i, end := range tried {
		trying.Go(func() (err error) {
			defer utilruntime.HandleCrash()
			refused[i], blocked[i], err = tryEnd(ctx, client, end)
			return err
		})
	}
	if err := trying.Wait(); err != nil {
		return err
	}
	for i, words := range refused {
		if blocked[i] {
			p.Verdict.Blocked++
		}
		if words != "" && !slices.Contains(p.Verdict.Refused, words) {
			p.Verdict.Refused = append(p.Verdict.Refused, words)
		}
	}
	return nil
}

// tryEnd tries one eviction or deletion. refused is the server's message; "" if it would
// accept, or if the pod was deleted meanwhile. blocked says that it rejects it for now.
func tryEnd(ctx context.Context, client kubernetes.Interface, end *plan.End) (refused string, blocked bool, err error) {
	err = ask(ctx, client, end, true)
	switch {
	case refusedForNow(err):
		return "", true, nil
	case err == nil, apierrors.IsNotFound(err):
		return "", false, nil
	case apierrors.IsConflict(err) && end.How == plan.Deleted:
		return "", false, fmt.Errorf("%s %w: %w", end.Pod.FullName(), ErrChanged, err)
	case apierrors.IsConflict(err):
		return "", false, nil // another pod has its name: this one was deleted
	case statusOf(err) == nil:
		return "", false, fmt.Errorf("%s %s: %w", verb(end), end.Pod.FullName(), err)
	}
	return wordsOf(err), false, nil
}
