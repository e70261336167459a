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

// mostTries is how many ends of pods one plan has the server try.
const mostTries = 50

// tryEnds has the API server try the evictions and deletions of a plan, of many
// the first ones. That a PodDisruptionBudget refuses one for now is no objection:
// the plan says who waits.
func tryEnds(ctx context.Context, client kubernetes.Interface, p *plan.Plan) error {
	var tried []*plan.End
	for i := range p.Ends {
		if end := &p.Ends[i]; asked(*end) && !end.Terminating && end.Fate.Budget.Allows != plan.BudgetWaits {
			tried = append(tried, end)
		}
	}
	if len(tried) > mostTries {
		p.Verdict.Untried, tried = len(tried)-mostTries, tried[:mostTries]
	}
	refused := make([]string, len(tried))
	trying, ctx := errgroup.WithContext(ctx)
	trying.SetLimit(atOnce)
	for i, end := range tried {
		trying.Go(func() (err error) {
			defer utilruntime.HandleCrash()
			refused[i], err = tryEnd(ctx, client, end)
			return err
		})
	}
	if err := trying.Wait(); err != nil {
		return err
	}
	for _, words := range refused {
		if words != "" && !slices.Contains(p.Verdict.Refused, words) {
			p.Verdict.Refused = append(p.Verdict.Refused, words)
		}
	}
	return nil
}

// tryEnd tries one end. refused are the server's words; "" where it would accept,
// and where the pod is gone meanwhile.
func tryEnd(ctx context.Context, client kubernetes.Interface, end *plan.End) (refused string, err error) {
	err = ask(ctx, client, end, true)
	switch {
	case err == nil, apierrors.IsNotFound(err), refusedForNow(err):
		return "", nil
	case apierrors.IsConflict(err) && end.How == plan.Deleted:
		return "", fmt.Errorf("%s %w: %w", end.Pod.FullName(), ErrChanged, err)
	case apierrors.IsConflict(err):
		return "", nil // another pod of its name: this one is gone
	case statusOf(err) == nil:
		return "", fmt.Errorf("%s %s: %w", verb(end), end.Pod.FullName(), err)
	}
	return wordsOf(err), nil
}
