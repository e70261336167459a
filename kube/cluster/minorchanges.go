package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// isQuiet reports whether nobody waits for a change of a node or a pod: no row looks
// different by it. Such changes are folded together with others, within linger.
func isQuiet(was, is runtime.Object) bool {
	switch is := is.(type) {
	case *corev1.Pod:
		was, ok := was.(*corev1.Pod)
		return ok && was.Spec.NodeName != "" && model.PodsLookAlike(was, is)
	case *corev1.Node:
		was, ok := was.(*corev1.Node)
		return ok && model.NodesLookAlike(was, is)
	}
	return false
}

// isAside reports whether a changed object bears on no verdict, or on the least part of
// one: its controllers write their counts whenever a pod comes, starts or goes.
func isAside(o runtime.Object) bool {
	switch o.(type) {
	case *appsv1.ReplicaSet, *appsv1.StatefulSet, *corev1.ReplicationController, *corev1.Service, *policyv1.PodDisruptionBudget:
		return true
	}
	return false
}
