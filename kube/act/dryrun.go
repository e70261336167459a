package act

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// mostTries is how many evictions and deletions of one plan are tried as dry runs.
const mostTries = 50

// dryRun has the API server try the plan's changes, and makes none. A rejection is part of the
// plan's verdict; a conflict is not, because the plan is made from old facts then.
func (a *Actor) dryRun(ctx context.Context, plan *plan.Plan) error {
	if a.ReadOnly() != "" {
		plan.Verdict.Skipped = "read-only: no dry run is sent"
		return nil
	}
	if len(plan.Changes)+len(plan.Ends) == 0 {
		return nil // it stops jobs only
	}
	plan.Verdict.Asked = true
	for _, change := range plan.Changes {
		_, err := a.send(ctx, a.DryRunner, change, []string{metav1.DryRunAll})
		var status apierrors.APIStatus
		if errors.As(err, &status) && !errors.Is(err, ErrChanged) {
			plan.Verdict.Rejections = append(plan.Verdict.Rejections, status.Status().Message)
			continue
		}
		if err != nil {
			return err
		}
	}
	return dryRunEvictions(ctx, a.DryRunner, plan)
}

// dryRunEvictions has the API server try the evictions and deletions of a plan, of many only
// the first. A rejection by a PodDisruptionBudget is no objection, because the eviction
// is tried again: it is counted. Where the forecast expects one, nothing is tried.
func dryRunEvictions(ctx context.Context, client kubernetes.Interface, p *plan.Plan) error {
	var tried []*plan.End
	for i := range p.Ends {
		switch end := &p.Ends[i]; {
		case !end.Requested() || end.Terminating:
		case end.Fate.Budget.Allows == plan.BudgetWaits:
			p.Verdict.Waiting++
		default:
			tried = append(tried, end)
		}
	}
	if len(tried)+len(p.Changes) == 0 && p.Verdict.Waiting > 0 {
		p.Verdict.Asked, p.Verdict.Skipped = false, "PodDisruptionBudgets block all evictions"
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
			refused[i], blocked[i], err = dryRunEviction(ctx, client, end)
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
		if words != "" && !slices.Contains(p.Verdict.Rejections, words) {
			p.Verdict.Rejections = append(p.Verdict.Rejections, words)
		}
	}
	return nil
}

// dryRunEviction tries one eviction or deletion. refused is the server's message; "" if it would
// accept, or if the pod was deleted meanwhile. blocked says that it rejects it for now.
func dryRunEviction(ctx context.Context, client kubernetes.Interface, end *plan.End) (refused string, blocked bool, err error) {
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
	case statusOf(err) == nil, throttled(err):
		return "", false, fmt.Errorf("%s %s: %w", verb(end), end.Pod.FullName(), err)
	}
	return wordsOf(err), false, nil
}
