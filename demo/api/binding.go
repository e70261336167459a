package api

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// bind binds a pod to its node, by the rules of the binding subresource
// (pkg/registry/core/pod/storage/storage.go).
func (s *Store) bind(q query, binding *corev1.Binding) error {
	_, err := s.update(q, func(old runtime.Object) (runtime.Object, error) {
		pod, ok := old.(*corev1.Pod)
		if !ok {
			return nil, apierrors.NewBadRequest("only pods are bound")
		}
		if why := bindable(pod, binding); why != nil {
			return nil, apierrors.NewConflict(corev1.Resource("pods/binding"), pod.Name, why)
		}
		pod.Spec.NodeName = binding.Target.Name
		pod.Status.NominatedNodeName = "" // since 1.35: ClearingNominatedNodeNameAfterBinding
		if len(binding.Annotations) > 0 && pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		maps.Copy(pod.Annotations, binding.Annotations)
		if len(binding.Labels) > 0 && pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		maps.Copy(pod.Labels, binding.Labels)
		podutil.UpdatePodCondition(&pod.Status, &corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionTrue, ObservedGeneration: pod.Generation,
			LastTransitionTime: s.now(),
		})
		pod.ResourceVersion = "" // a binding is for the pod, not for one version of it
		return pod, nil
	})
	return err
}

// bindable returns why a pod cannot be bound; nil if it can.
func bindable(pod *corev1.Pod, binding *corev1.Binding) error {
	switch {
	case binding.Target.Kind != "" && binding.Target.Kind != "Node" || binding.Target.Name == "":
		return fmt.Errorf("a pod is bound to a node, not to %s %q", binding.Target.Kind, binding.Target.Name)
	case binding.UID != "" && binding.UID != pod.UID:
		return fmt.Errorf("UID in precondition: %s, UID in object meta: %s", binding.UID, pod.UID)
	case pod.DeletionTimestamp != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return fmt.Errorf("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return fmt.Errorf("pod %s has non-empty .spec.schedulingGates", pod.Name)
	}
	return nil
}
