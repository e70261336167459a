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
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// find finds the pod that is meant by a name, namespace/name or pod/name, or by the name of a
// workload.
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
		return e.findOf(ctx, live, named.WorkloadKind(first), name)
	}
	if err := live.Seek(ctx); err != nil { // a workload of that name may be meant, whose pods were not created
		return nil, err
	}
	return asked.Elsewhere(live, "explain")
}

// parsePod takes a pod's name apart. Without a namespace in it, that of the scope counts.
func (e *explainOptions) parsePod(argument string) (named.Pod, error) {
	return named.ParsePod("explain", argument, e.scope.Namespace, *e.source.Flags.Namespace)
}

// findOf finds the pod that stands for those that a workload could not create, or else its first
// pending one, or else one that has a node, first one that fails.
func (e *explainOptions) findOf(ctx context.Context, live *source.Live, kind, name string) (*model.Pod, error) {
	if err := live.Seek(ctx); err != nil {
		return nil, err
	}
	refused, waiting := e.pendingOf(live, kind, name)
	found := refused
	if len(found) == 0 {
		found = waiting
	}
	asked := strings.ToLower(kind) + "/" + name
	placed := len(found) == 0
	if placed {
		found = e.placedOf(live, kind, name)
	}
	switch {
	case len(found) == 0:
		return nil, e.withoutPending(ctx, live, kind, name)
	case e.scope.Namespace == "" && slices.ContainsFunc(found, func(p *model.Pod) bool { return p.Object.Namespace != found[0].Object.Namespace }):
		return nil, exit.Usagef("explain %s: it is in several namespaces; choose one with -n", asked)
	case placed:
		e.Say(fmt.Errorf("explain %s: %s; this is %s", asked, notPending(found), found[0].FullName()))
		if e.overlooks = live.Overlooks() || e.scope.Beyond(live.Snapshot.Status); e.overlooks {
			live.SayLimits()
		}
	case len(refused) == 0 && len(waiting) > 1:
		e.Say(fmt.Errorf("explain %s: this is the first of its %d pending pods, %s", asked, len(waiting), waiting[0].FullName()))
	}
	return found[0], nil
}

// notPending says of the pods of a workload that none is pending, and how many fail.
func notPending(placed []*model.Pod) string {
	failing := 0
	for _, pod := range placed {
		if pod.Failing() {
			failing++
		}
	}
	said := grammar.Agree(len(placed), "its pod is not pending", "none of its "+grammar.Plural(len(placed), "pod")+" is pending")
	if failing == 0 {
		return said
	}
	return said + grammar.Agree(len(placed), " but fails", fmt.Sprintf(", %d %s", failing, grammar.Agree(failing, "fails", "fail")))
}

// placedOf are the pods of a workload that have a node and have not finished, those that fail first; where all
// have finished, those.
func (e *explainOptions) placedOf(live *source.Live, kind, name string) (placed []*model.Pod) {
	var finished []*model.Pod
	for _, pod := range live.Snapshot.Pods {
		switch {
		case pod.Object.Spec.NodeName == "", !e.scope.Holds(pod), !named.MadeBy(pod, kind, name):
		case pod.Finished():
			finished = append(finished, pod)
		default:
			placed = append(placed, pod)
		}
	}
	if len(placed) == 0 {
		placed = finished
	}
	slices.SortStableFunc(placed, func(a, b *model.Pod) int {
		switch {
		case a.Failing() == b.Failing():
			return 0
		case a.Failing():
			return -1
		}
		return 1
	})
	return placed
}

// pendingOf are the pods that stand for those that a workload could not create, and its pending ones.
func (e *explainOptions) pendingOf(live *source.Live, kind, name string) (refused, waiting []*model.Pod) {
	for _, k := range live.Snapshot.Pending {
		if k.NotCreated != nil {
			if pod := k.First(); (e.scope.Namespace == "" || e.scope.Namespace == k.Namespace()) && named.MadeBy(pod, kind, name) {
				refused = append(refused, pod)
			}
			continue
		}
		for _, pod := range k.Pods {
			if e.scope.Holds(pod) && named.MadeBy(pod, kind, name) {
				waiting = append(waiting, pod)
			}
		}
	}
	return refused, waiting
}

// withoutPending says why a workload has no pod to explain: it does not exist, or none of its pods
// is pending and none has a node.
func (e *explainOptions) withoutPending(ctx context.Context, live *source.Live, kind, name string) error {
	asked := strings.ToLower(kind) + "/" + name
	in, err := named.NamespacesOf(ctx, live, kind, e.scope.Namespace, name)
	there := slices.Contains(in, e.scope.Namespace) || e.scope.Namespace == "" && len(in) > 0
	switch {
	case there:
		of := named.Workload{Kind: kind, Namespace: cmp.Or(e.scope.Namespace, in[0]), Name: name}
		return fmt.Errorf("explain %s: %s", asked, cmp.Or(of.WithoutPods(ctx, live), "it has no pending pods, and none that kube-apiserver rejected"))
	case err != nil:
		return fmt.Errorf("explain %s: unknown whether it exists: %w", asked, err)
	case len(in) > 0:
		return fmt.Errorf("explain %s: no such %s in %s; there is one in namespace %s", asked, strings.ToLower(kind), e.scope.Words(), strings.Join(in, ", "))
	}
	unknown := named.Unknown(ctx, live, kind, e.scope.Namespace, name, e.scope.Words())
	if live.Client == nil {
		return fmt.Errorf("explain %s: %s", asked, unknown)
	}
	in = []string{"-A"}
	if e.scope.Namespace != "" {
		in = []string{"-n", e.scope.Namespace}
	}
	list := shell.Line(append([]string{"get", named.ResourceOf(kind)}, in...)...)
	if flags := live.Snapshot.Status.KubectlFlags; flags != "" {
		list = flags + " " + list
	}
	return fmt.Errorf("explain %s: %s: run \"kubectl %s\" to list them", asked, unknown, list)
}
