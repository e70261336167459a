package client

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// stripper takes from objects what nobody reads, as they arrive and before
// anything is stored, and lets them share the rest. What it leaves is all that
// the scheduler's plugins, the model and the explanations look at; secrets in
// the environment of a container are not among it.
type stripper struct {
	pool  *pool
	whole bool // nothing is taken but managed fields

	grouped func() // called for each pod that names a PodGroup; nil: nothing is
}

func newStripper() *stripper { return &stripper{pool: newPool()} }

// Strip gives what is done to objects as they arrive, for those that come from
// elsewhere.
func Strip() func(any) (any, error) { return newStripper().strip }

// stripped marks an object as done: client-go transforms a streamed list twice.
// It is empty, so it is written nowhere; its capacity tells it from an empty
// list that a server sent.
var stripped = make([]metav1.ManagedFieldsEntry, 0, 1)

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
	if pod, ok := o.(*corev1.Pod); ok && pod.Spec.SchedulingGroup != nil && s.grouped != nil {
		s.grouped()
	}
	if s.whole {
		object.SetManagedFields(stripped)
		return o, nil
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
	m.Annotations = s.pool.dictionary(s.annotations(m.Annotations))
	s.pool.meta(m)
}

// annotations leaves those that somebody reads.
func (s *stripper) annotations(all map[string]string) map[string]string {
	var some map[string]string
	for k, v := range all {
		if cluster.ReadAnnotations[k] {
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
