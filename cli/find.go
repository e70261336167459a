package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// workloads are the kinds whose pods may not have been created, as kubectl names
// them.
var workloads = map[string]string{
	"deployment": "Deployment", "deployments": "Deployment", "deploy": "Deployment",
	"replicaset": "ReplicaSet", "replicasets": "ReplicaSet", "rs": "ReplicaSet",
	"statefulset": "StatefulSet", "statefulsets": "StatefulSet", "sts": "StatefulSet",
	"daemonset": "DaemonSet", "daemonsets": "DaemonSet", "ds": "DaemonSet",
	"job": "Job", "jobs": "Job",
	"replicationcontroller": "ReplicationController", "replicationcontrollers": "ReplicationController", "rc": "ReplicationController",
}

// find finds the pod that is meant by a name, namespace/name or pod/name, or the
// one that stands for those that a workload could not create.
func (e *explaining) find(ctx context.Context, live *live, argument string) (*model.Pod, error) {
	namespace, name, err := e.parsePod(argument)
	if err != nil {
		return nil, err
	}
	if err = live.refused("pods"); err != nil {
		return nil, fmt.Errorf("explain %s: %w", argument, err)
	}
	if namespace != "" {
		if pod, ok := live.snapshot.PodNamed(namespace, name); ok {
			return pod, nil
		}
	}
	if first, name, _ := strings.Cut(argument, "/"); workloads[first] != "" {
		return e.findRefused(ctx, live, workloads[first], name)
	}
	others := podsNamed(live.snapshot, name)
	switch {
	case namespace == "" && len(others) == 1:
		return others[0], nil
	case namespace == "" && len(others) > 1:
		return nil, usagef("explain %s: there are %s; name one with its namespace", name, names(others))
	case live.snapshot.Status.Namespace != "" && live.snapshot.Status.Namespace != namespace:
		return nil, fmt.Errorf("explain %s: only pods of namespace %s may be listed; choose another with -n", argument, live.snapshot.Status.Namespace)
	case len(others) > 0:
		return nil, fmt.Errorf("explain %s/%s: no such pod; there is %s", namespace, name, names(others))
	case namespace == "":
		return nil, fmt.Errorf("explain %s: no such pod in any namespace; %s get pods lists them", name, e.name)
	default:
		return nil, fmt.Errorf("explain %s/%s: no such pod; %s get pods -n %s lists them", namespace, name, e.name, namespace)
	}
}

// parsePod takes a pod's name apart. Without a namespace in it, that of the scope counts.
func (e *explaining) parsePod(argument string) (namespace, name string, err error) {
	first, second, cut := strings.Cut(argument, "/")
	switch {
	case argument == "", strings.Contains(second, "/"), cut && (first == "" || second == ""):
		return "", "", usagef("explain %q: a pod is given as name, namespace/name or pod/name", argument)
	case !cut:
		return e.scope.namespace, first, nil
	case first == "pod" || first == "pods" || first == "po":
		return e.scope.namespace, second, nil
	case *e.flags.Namespace != "" && *e.flags.Namespace != first && workloads[first] == "":
		return "", "", usagef("explain %s: -n says %s", argument, *e.flags.Namespace)
	default:
		return first, second, nil
	}
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
		direct := pod.Object.OwnerReferences[0]
		if pod.Owner.Kind == kind && pod.Owner.Name == name || direct.Kind == kind && direct.Name == name {
			found = append(found, pod)
		}
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("explain %s/%s: none of its pods was refused in %s; name a pod, or give --all",
			strings.ToLower(kind), name, e.scope.words())
	case e.scope.namespace == "" && slices.ContainsFunc(found, func(p *model.Pod) bool { return p.Object.Namespace != found[0].Object.Namespace }):
		return nil, usagef("explain %s/%s: it is in several namespaces; choose one with -n", strings.ToLower(kind), name)
	}
	return found[0], nil
}

// podsNamed are the pods of that name in all namespaces.
func podsNamed(s *model.Snapshot, name string) []*model.Pod {
	var found []*model.Pod
	for _, pod := range s.Pods {
		if pod.Object.Name == name {
			found = append(found, pod)
		}
	}
	return found
}

// names lists up to three pods by their full names.
func names(pods []*model.Pod) string {
	const most = 3
	var list []string
	for _, pod := range pods[:min(most, len(pods))] {
		list = append(list, pod.FullName())
	}
	if more := len(pods) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}
