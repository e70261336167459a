package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stripper takes from objects what nobody reads, as they arrive and before
// anything is stored, and lets them share the rest. What it leaves is all that
// the scheduler's plugins, the model and the explanations look at; secrets in
// the environment of a container are not among it.
type stripper struct {
	pool *pool
}

func newStripper() *stripper { return &stripper{pool: newPool()} }

// stripped marks an object as done: client-go transforms a streamed list twice.
// It is empty, so it is written nowhere; its capacity tells it from an empty
// list that a server sent.
var stripped = make([]metav1.ManagedFieldsEntry, 0, 1)

// kept are the annotations that the scheduler's plugins or the views read.
var kept = map[string]bool{
	corev1.MirrorPodAnnotationKey:       true, // a static pod: cannot be evicted
	corev1.MigratedPluginsAnnotationKey: true, // of a CSINode, by NodeVolumeLimits and VolumeBinding

	// Of claims and volumes, by VolumeBinding.
	"volume.kubernetes.io/selected-node":             true,
	"volume.kubernetes.io/storage-provisioner":       true,
	"volume.beta.kubernetes.io/storage-provisioner":  true,
	"volume.beta.kubernetes.io/storage-class":        true,
	"pv.kubernetes.io/bind-completed":                true,
	"pv.kubernetes.io/bound-by-controller":           true,
	"pv.kubernetes.io/provisioned-by":                true,
	"pv.kubernetes.io/migrated-to":                   true,
	"resource.kubernetes.io/pod-claim-name":          true, // of a ResourceClaim, by DynamicResources
	"resource.kubernetes.io/extended-resource-claim": true,
	"storageclass.kubernetes.io/is-default-class":    true,
	"cluster-autoscaler.kubernetes.io/safe-to-evict": true,
}

// isStripped says that o went through strip before.
func isStripped(o metav1.Object) bool {
	fields := o.GetManagedFields()
	return len(fields) == 0 && cap(fields) == 1
}

// strip changes o where it stands. It implements cache.TransformFunc and may
// be called again for an object that it stripped.
func (s *stripper) strip(o any) (any, error) {
	object, err := meta.Accessor(o)
	if err != nil || isStripped(object) {
		return o, nil //nolint:nilerr // a tombstone: its object was stripped when it came
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	switch o := o.(type) {
	case *corev1.Pod:
		s.pod(o)
	case *corev1.Node:
		s.node(o)
	case *appsv1.ReplicaSet:
		s.meta(&o.ObjectMeta)
		s.template(&o.Spec.Template)
	case *appsv1.StatefulSet:
		s.meta(&o.ObjectMeta)
		s.template(&o.Spec.Template)
	case *corev1.ReplicationController:
		s.meta(&o.ObjectMeta)
		if o.Spec.Template != nil {
			s.template(o.Spec.Template)
		}
	default:
		s.object(object)
	}
	object.SetManagedFields(stripped)
	return o, nil
}

// object strips a kind of which nothing else is known.
func (s *stripper) object(o metav1.Object) {
	o.SetAnnotations(s.annotations(o.GetAnnotations()))
	o.SetLabels(s.pool.dictionary(o.GetLabels()))
	o.SetOwnerReferences(exact(o.GetOwnerReferences()))
	namespace := o.GetNamespace()
	s.pool.word(&namespace)
	o.SetNamespace(namespace)
}

func (s *stripper) meta(m *metav1.ObjectMeta) {
	m.Annotations = s.annotations(m.Annotations)
	s.pool.meta(m)
}

// annotations leaves those that somebody reads.
func (s *stripper) annotations(all map[string]string) map[string]string {
	var some map[string]string
	for k, v := range all {
		if kept[k] {
			if some == nil {
				some = map[string]string{}
			}
			some[k] = v
		}
	}
	return some
}

func (s *stripper) template(t *corev1.PodTemplateSpec) {
	s.meta(&t.ObjectMeta)
	s.spec(&t.Spec)
}
