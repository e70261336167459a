package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Supposed is the state that the plan leads to, as far as the snapshot knows its
// objects: they as they would be, and the pods that would be gone. Pods that a
// rollout replaces go one after the other, and pods that a scale ends are not
// known: they are not in it.
func (p *Plan) Supposed(s *model.Snapshot) Supposed {
	var supposed Supposed
	for _, change := range p.Changes {
		if !slices.ContainsFunc(change.Edits, func(e Edit) bool { return !isAnnotation(e.Path) }) {
			continue // the scheduler reads none
		}
		switch change.Target.Resource {
		case "nodes":
			if node, ok := s.Node(change.Target.Name); ok && node.Object != nil {
				if then := nodeThen(node.Object, change.Edits); then != nil {
					supposed.Nodes = append(supposed.Nodes, then)
				}
			}
		case "pods":
			if pod, ok := s.PodNamed(change.Target.Namespace, change.Target.Name); ok && !pod.Bound() {
				if then := edited(pod.Object, change.Edits); then != nil {
					supposed.Pods = append(supposed.Pods, then)
				}
			}
		}
	}
	for i := range p.Ends {
		if end := &p.Ends[i]; end.How != Rolled && end.Pod.Bound() {
			supposed.Gone = append(supposed.Gone, end.Pod.Object.UID)
		}
	}
	return supposed
}

// nodeThen is the node with the edits, and with what the node lifecycle
// controller makes of a cordon: a taint. nil: the edits do not fit it.
func nodeThen(node *corev1.Node, edits []Edit) *corev1.Node {
	then := edited(node, edits)
	if then == nil || then.Spec.Unschedulable == node.Spec.Unschedulable {
		return then
	}
	then.Spec.Taints = slices.DeleteFunc(then.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == corev1.TaintNodeUnschedulable
	})
	if then.Spec.Unschedulable {
		then.Spec.Taints = append(then.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return then
}

// edited is a copy of the object with the edits; nil where they do not fit it.
func edited[T any](object *T, edits []Edit) *T {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil
	}
	for _, edit := range edits {
		put(fields, edit.Path, edit.To)
	}
	then := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, then); err != nil {
		return nil
	}
	return then
}
