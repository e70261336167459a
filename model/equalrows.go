package model

import (
	"maps"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// PodsLookAlike reports whether no view tells two states of a bound pod apart at a
// glance: its status, phase, readiness, restarts and IP are the same. Its labels and its
// conditions may differ.
func PodsLookAlike(a, b *corev1.Pod) bool {
	return a.UID == b.UID && a.Generation == b.Generation && a.Spec.NodeName == b.Spec.NodeName &&
		(a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) &&
		a.Status.Phase == b.Status.Phase && a.Status.PodIP == b.Status.PodIP &&
		a.Status.NominatedNodeName == b.Status.NominatedNodeName &&
		podWords(a) == podWords(b) && waits(a) == waits(b)
}

// NodesLookAlike reports whether nothing that is derived from a node's object differs
// between two states of it, nor its labels and its spec: heartbeats, images and the words
// of conditions may.
func NodesLookAlike(a, b *corev1.Node) bool {
	if a.UID != b.UID || !maps.Equal(a.Labels, b.Labels) || !apiequality.Semantic.DeepEqual(a.Spec, b.Spec) {
		return false
	}
	was, is := newNode(a, ""), newNode(b, "")
	was.Object, is.Object = nil, nil
	return reflect.DeepEqual(was, is)
}
