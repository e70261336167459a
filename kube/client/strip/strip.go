// Package strip takes from objects what nobody reads, before they are decoded where that can be, and
// lets them share what is equal.
package strip

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// Stripper takes from objects what nobody reads, as they arrive and before
// anything is stored, and lets them share the rest. What it leaves is all that
// the scheduler's plugins, the model and the explanations look at; secrets in
// the environment of a container are not among it.
type Stripper struct {
	Whole   bool   // nothing is taken but managed fields
	Grouped func() // called for each pod that names a PodGroup; nil: nothing is

	pool *Pool
}

// New makes a stripper whose objects share nothing with those of others.
func New() *Stripper { return NewPool().Stripper() }

// Stripper makes a stripper whose objects share what is equal with all others of the pool.
func (p *Pool) Stripper() *Stripper { return &Stripper{pool: p} }

// stripped marks an object as done: client-go transforms a streamed list twice.
// It is empty, so it is written nowhere; its capacity tells it from an empty
// list that a server sent.
var stripped = make([]metav1.ManagedFieldsEntry, 0, 1)

// IsStripped says that o went through Strip before.
func IsStripped(o metav1.Object) bool {
	fields := o.GetManagedFields()
	return len(fields) == 0 && cap(fields) == 1
}

// Strip changes o where it stands. It implements cache.TransformFunc and may
// be called again for an object that it stripped.
func (s *Stripper) Strip(o any) (any, error) {
	object, err := meta.Accessor(o)
	if err != nil || IsStripped(object) {
		return o, nil //nolint:nilerr // a tombstone: its object was stripped when it came
	}
	if pod, ok := o.(*corev1.Pod); ok && pod.Spec.SchedulingGroup != nil && s.Grouped != nil {
		s.Grouped()
	}
	if s.Whole {
		object.SetManagedFields(stripped)
		return o, nil
	}
	if isDecoded(object) {
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
func (s *Stripper) object(o metav1.Object) {
	o.SetAnnotations(s.annotations(o.GetAnnotations()))
	o.SetLabels(s.pool.dictionary(o.GetLabels()))
	o.SetOwnerReferences(exact(o.GetOwnerReferences()))
	namespace := o.GetNamespace()
	s.pool.word(&namespace)
	o.SetNamespace(namespace)
}

func (s *Stripper) meta(m *metav1.ObjectMeta) {
	m.Annotations = s.pool.dictionary(s.annotations(m.Annotations))
	s.pool.meta(m)
}

// annotations leaves those that somebody reads.
func (s *Stripper) annotations(all map[string]string) map[string]string {
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

func (s *Stripper) template(t *corev1.PodTemplateSpec) {
	s.meta(&t.ObjectMeta)
	t.ManagedFields = nil // templates have none
	s.spec(&t.Spec)
}

// Items strips the items of a list where they stand.
func Items[T any](items []T) []*T {
	s := New()
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
		_, _ = s.Strip(all[i]) // fails for no object
	}
	return all
}
