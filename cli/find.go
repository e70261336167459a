package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// find finds the pod that is meant by a name, namespace/name or pod/name, or the
// one that stands for those that a workload could not create.
func (e *explainOptions) find(ctx context.Context, live *source.Live, argument string) (*model.Pod, error) {
	asked, err := e.parsePod(argument)
	if err != nil {
		return nil, err
	}
	if err = live.Unread("pods"); err != nil {
		return nil, fmt.Errorf("explain %s: %w", argument, err)
	}
	if pod, ok := asked.Direct(live.Snapshot); ok {
		return pod, nil
	}
	if first, name, _ := strings.Cut(argument, "/"); named.WorkloadKind(first) != "" {
		return e.findRefused(ctx, live, named.WorkloadKind(first), name)
	}
	return asked.Elsewhere(live, "explain")
}

// parsePod takes a pod's name apart. Without a namespace in it, that of the scope counts.
func (e *explainOptions) parsePod(argument string) (named.Pod, error) {
	return named.ParsePod("explain", argument, e.scope.Namespace, *e.source.Flags.Namespace)
}

// findRefused finds the pod that stands for those that a workload could not create.
func (e *explainOptions) findRefused(ctx context.Context, live *source.Live, kind, name string) (*model.Pod, error) {
	if err := live.Seek(ctx); err != nil {
		return nil, err
	}
	var found []*model.Pod
	for _, k := range live.Snapshot.Pending {
		pod := k.First()
		if k.NotCreated == nil || e.scope.Namespace != "" && e.scope.Namespace != k.Namespace() {
			continue
		}
		if named.MadeBy(pod, kind, name) {
			found = append(found, pod)
		}
	}
	switch {
	case len(found) == 0:
		return nil, e.notRefused(ctx, live, kind, name)
	case e.scope.Namespace == "" && slices.ContainsFunc(found, func(p *model.Pod) bool { return p.Object.Namespace != found[0].Object.Namespace }):
		return nil, exit.Usagef("explain %s/%s: it is in several namespaces; choose one with -n", strings.ToLower(kind), name)
	}
	return found[0], nil
}

// notRefused says why a workload has no pods that kube-apiserver refused: it does not
// exist, or none of its pods was.
func (e *explainOptions) notRefused(ctx context.Context, live *source.Live, kind, name string) error {
	asked := strings.ToLower(kind) + "/" + name
	in, err := named.NamespacesOf(ctx, live, kind, e.scope.Namespace, name)
	there := slices.Contains(in, e.scope.Namespace) || e.scope.Namespace == "" && len(in) > 0
	switch {
	case there:
		return fmt.Errorf("explain %s: %s", asked, e.instead(ctx, live, named.Workload{Kind: kind, Namespace: cmp.Or(e.scope.Namespace, in[0]), Name: name}))
	case err != nil:
		return fmt.Errorf("explain %s: unknown whether it exists: %w", asked, err)
	case len(in) > 0:
		return fmt.Errorf("explain %s: no such %s in %s; there is one in namespace %s", asked, strings.ToLower(kind), e.scope.Words(), strings.Join(in, ", "))
	case live.Client == nil:
		return fmt.Errorf("explain %s: no such %s in %s", asked, strings.ToLower(kind), e.scope.Words())
	}
	return fmt.Errorf("explain %s: no such %s in %s: run \"kubectl get %s -A\" to list them", asked, strings.ToLower(kind), e.scope.Words(), named.ResourceOf(kind))
}

// instead says what to ask about a workload whose pods were created.
func (e *explainOptions) instead(ctx context.Context, live *source.Live, of named.Workload) string {
	var waiting []*model.Pod
	for _, pod := range live.Snapshot.Pods {
		if pod.Waits && e.scope.Holds(pod) && named.MadeBy(pod, of.Kind, of.Name) {
			waiting = append(waiting, pod)
		}
	}
	if len(waiting) == 0 {
		if why := of.WithoutPods(ctx, live); why != "" {
			return why
		}
		return "it has no pending pods, and none that kube-apiserver rejected"
	}
	return "kube-apiserver rejected none of its pods; explain a pending one: " + named.FullNames(waiting)
}
