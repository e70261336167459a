package explain

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// tellQuotas notes which replacements of pods that go kube-apiserver would not let be created: a
// quota may have become smaller since they were. Quotas that cannot be read reject nothing.
func tellQuotas(ctx context.Context, e *Engine, gone []types.UID, told *plan.Forecast) error {
	if e.options.Quotas == nil {
		return nil
	}
	pods, err := byNamespace(ctx, e, gone, told)
	if err != nil {
		return err
	}
	notMade := func(pod *corev1.Pod) bool {
		outcome := told.Fates[pod.UID].Outcome
		return outcome == plan.Lost || outcome == plan.NotMade || outcome == plan.NotKnown
	}
	for _, namespace := range slices.Sorted(maps.Keys(pods)) {
		quotas, err := e.options.Quotas(ctx, namespace)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(quotas) == 0 {
			continue
		}
		for i, replacement := range admission.Recreated(pods[namespace], quotas, notMade) {
			uid := pods[namespace][i].UID
			fate := plan.Fate{Outcome: plan.Lost, Why: replacement.Rejected, Budget: told.Fates[uid].Budget}
			switch {
			case replacement.Rejected == "":
				continue
			case !replacement.Certain:
				fate.Outcome, fate.Why = plan.Depends, replacement.Rejected+" is enough for some of the replacements only"
			}
			told.Fates[uid] = fate
		}
	}
	return nil
}

// byNamespace are the pods that go and had not finished.
func byNamespace(ctx context.Context, e *Engine, gone []types.UID, told *plan.Forecast) (map[string][]*corev1.Pod, error) {
	pods := map[string][]*corev1.Pod{}
	err := e.scheduler.Hold(ctx, nil, func() error {
		for _, uid := range gone {
			if pod := e.scheduler.State.Pods[uid]; pod != nil && told.Fates[uid].Outcome != plan.Finished {
				pods[pod.Namespace] = append(pods[pod.Namespace], pod)
			}
		}
		return nil
	})
	return pods, err
}
