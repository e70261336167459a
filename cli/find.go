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
	if first, name, _ := strings.Cut(argument, "/"); workloads[first] != "" {
		return e.findRefused(ctx, live, workloads[first], name)
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
