package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// find finds the pod that is meant by a name, namespace/name or pod/name, or the
// one that stands for those that a workload could not create.
func (e *explaining) find(ctx context.Context, live *live, argument string) (*model.Pod, error) {
	asked, err := e.parsePod(argument)
	if err != nil {
		return nil, err
	}
	if err = live.refused("pods"); err != nil {
		return nil, fmt.Errorf("explain %s: %w", argument, err)
	}
	if pod, ok := asked.direct(live.snapshot); ok {
		return pod, nil
	}
	if first, name, _ := strings.Cut(argument, "/"); workloadKind(first) != "" {
		return e.findRefused(ctx, live, workloadKind(first), name)
	}
	return asked.elsewhere(live, "explain")
}

// parsePod takes a pod's name apart. Without a namespace in it, that of the scope counts.
func (e *explaining) parsePod(argument string) (podName, error) {
	return parsePodName("explain", argument, e.scope.namespace, *e.flags.Namespace)
}

// findRefused finds the pod that stands for those that a workload could not create.
func (e *explaining) findRefused(ctx context.Context, live *live, kind, name string) (*model.Pod, error) {
	if err := live.seek(ctx); err != nil {
		return nil, err
	}
	var found []*model.Pod
	for _, k := range live.snapshot.Pending {
		pod := k.First()
		if k.Refused == nil || e.scope.namespace != "" && e.scope.namespace != k.Namespace() {
			continue
		}
		if madeBy(pod, kind, name) {
			found = append(found, pod)
		}
	}
	switch {
	case len(found) == 0:
		return nil, e.notRefused(ctx, live, kind, name)
	case e.scope.namespace == "" && slices.ContainsFunc(found, func(p *model.Pod) bool { return p.Object.Namespace != found[0].Object.Namespace }):
		return nil, exit.Usagef("explain %s/%s: it is in several namespaces; choose one with -n", strings.ToLower(kind), name)
	}
	return found[0], nil
}
