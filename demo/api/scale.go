package api

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// scaleOf is the scale of a workload.
func (s *Store) scaleOf(q query) (*autoscalingv1.Scale, error) {
	object, ok := s.storage.object(q.kind, q.name)
	if !ok {
		return nil, q.notFound()
	}
	return scaled(object)
}

func scaled(object runtime.Object) (*autoscalingv1.Scale, error) {
	var meta metav1.ObjectMeta
	var replicas *int32
	var now int32
	var selector *metav1.LabelSelector
	switch o := object.(type) {
	case *appsv1.Deployment:
		meta, replicas, now, selector = o.ObjectMeta, o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector
	case *appsv1.ReplicaSet:
		meta, replicas, now, selector = o.ObjectMeta, o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector
	case *appsv1.StatefulSet:
		meta, replicas, now, selector = o.ObjectMeta, o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector
	default:
		return nil, apierrors.NewBadRequest("it has no scale subresource")
	}
	scale := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: meta.Namespace, Name: meta.Name, UID: meta.UID,
			ResourceVersion: meta.ResourceVersion, CreationTimestamp: meta.CreationTimestamp,
		},
		Status: autoscalingv1.ScaleStatus{Replicas: now},
	}
	if replicas != nil {
		scale.Spec.Replicas = *replicas
	}
	if chosen, err := metav1.LabelSelectorAsSelector(selector); err == nil {
		scale.Status.Selector = chosen.String()
	}
	return scale, nil
}

// rescale sets the number of replicas of a workload.
func (s *Store) rescale(q query, scale *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
	q.subresource = ""
	made, err := s.update(q, func(old runtime.Object) (runtime.Object, error) {
		replicas := scale.Spec.Replicas
		switch o := old.(type) {
		case *appsv1.Deployment:
			o.Spec.Replicas, o.UID, o.ResourceVersion = &replicas, scale.UID, scale.ResourceVersion
		case *appsv1.ReplicaSet:
			o.Spec.Replicas, o.UID, o.ResourceVersion = &replicas, scale.UID, scale.ResourceVersion
		case *appsv1.StatefulSet:
			o.Spec.Replicas, o.UID, o.ResourceVersion = &replicas, scale.UID, scale.ResourceVersion
		default:
			return nil, apierrors.NewBadRequest("it has no scale subresource")
		}
		return old, nil
	})
	if err != nil {
		return nil, err
	}
	return scaled(made)
}
