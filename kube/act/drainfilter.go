package act

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubectl/pkg/drain"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// filtered asks kubectl drain's filters which pods of the nodes to evict. Everything
// that its flags ask about is allowed here: the plan asks about it again, pod by
// pod.
func filtered(ctx context.Context, client kubernetes.Interface, action plan.Drains) (map[string][]types.UID, error) {
	found := map[string][]types.UID{}
	var mu sync.Mutex
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(atOnce)
	for _, node := range action.DrainedNodes() {
		reading.Go(func() error {
			defer utilruntime.HandleCrash()
			list, errs := helper(ctx, client).GetPodsForDeletion(node)
			if len(errs) > 0 {
				return fmt.Errorf("list pods of %s to drain: %w", node, errors.Join(errs...))
			}
			going := []types.UID{}
			for _, pod := range list.Pods() {
				going = append(going, pod.UID)
			}
			mu.Lock()
			defer mu.Unlock()
			found[node] = going
			return nil
		})
	}
	return found, reading.Wait()
}

// helper is kubectl drain's. Only its filters and single evictions are used.
func helper(ctx context.Context, client kubernetes.Interface) *drain.Helper {
	return &drain.Helper{
		Ctx:                  ctx,
		Client:               client,
		Force:                true,
		IgnoreAllDaemonSets:  true,
		DeleteEmptyDirData:   true,
		GracePeriodSeconds:   -1, // the pod's own; 0 would be at once
		EvictErrorRetryDelay: firstPause,
		Out:                  io.Discard,
		ErrOut:               io.Discard,
	}
}
