package placement

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// FitsWithout says whether a pod would fit a node if some pods were not there, by
// the plugins on a copy of the state. The pod need not exist. Null: it could not
// be decided.
func FitsWithout(ctx context.Context, s *scheduler.Scheduler, pod *corev1.Pod, node string, pods []types.UID) (fits *bool, err error) {
	release, err := s.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	defer func() {
		if r := recover(); r != nil {
			fits, err = nil, fmt.Errorf("try pod %s on %s: %w", plugins.FullName(pod), node, scheduler.PanicError(r))
		}
	}()
	s.Settle(ctx)
	fork := s.State.Fork()
	defer fork.Revert()
	for _, uid := range pods {
		if goes := s.State.Pods[uid]; goes != nil && scheduler.Assigned(goes) {
			if err := fork.RemovePod(goes); err != nil {
				return nil, err
			}
		}
	}
	t, err := s.FittingNodes(ctx, pod, []string{node})
	if err != nil {
		return nil, fmt.Errorf("try pod %s on %s: %w", plugins.FullName(pod), node, err)
	}
	if t.Open || len(t.Names) == 0 && t.LacksDevices() && frees(s, pods) {
		return nil, nil
	}
	return new(len(t.Names) > 0), nil
}

// frees says whether one of the pods has devices, which others may get once it is gone: that is
// not simulated.
func frees(s *scheduler.Scheduler, pods []types.UID) bool {
	return slices.ContainsFunc(pods, func(uid types.UID) bool { pod := s.State.Pods[uid]; return pod != nil && HasDevices(pod) })
}

// HasDevices says whether a pod uses ResourceClaims, its own or those of extended resources.
func HasDevices(pod *corev1.Pod) bool {
	return len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil
}
