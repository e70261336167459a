package api

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
)

// delete deletes an object. A pod on a node gets its grace period and is removed by its
// kubelet; an object with finalizers stays until they are removed.
func (s *Store) delete(q query, options metav1.DeleteOptions) (runtime.Object, error) {
	for range mostTries {
		old, ok := s.storage.object(q.kind, q.name)
		if !ok {
			return nil, q.notFound()
		}
		ending, now, err := s.ending(q, old, *options.DeepCopy())
		if err != nil || q.dry || ending == old {
			return ending, err
		}
		if now && s.storage.drop(q.kind, old) || !now && s.storage.put(q.kind, old, ending) {
			return ending, nil
		}
	}
	return nil, q.conflict()
}

// deleteAll deletes all selected objects.
func (s *Store) deleteAll(q query, which selection, options metav1.DeleteOptions) error {
	objects, _ := s.storage.selected(q.kind, which)
	for _, object := range objects {
		q.name = nameOf(object)
		if _, err := s.delete(q, options); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// ending is the object while it is being deleted. now says that it is removed at once. If
// there is nothing to do, it is the old object.
func (s *Store) ending(q query, old runtime.Object, options metav1.DeleteOptions) (object runtime.Object, now bool, err error) {
	internal, err := q.kind.stored.internal(old.DeepCopyObject())
	if err != nil {
		return nil, false, err
	}
	graceful, pending, err := rest.BeforeDelete(q.kind.strategy, q.context(), internal, &options)
	if err != nil {
		return nil, false, err
	}
	if err := s.admitted(q, admission.Delete, nil, internal, &options, func() error { return nil }); err != nil {
		return nil, false, err
	}
	if pending {
		return old, false, nil
	}
	accessor, err := meta.Accessor(internal)
	if err != nil {
		return nil, false, err
	}
	waits := len(accessor.GetFinalizers()) > 0
	if !graceful && waits && accessor.GetDeletionTimestamp() == nil {
		at := s.now()
		accessor.SetDeletionTimestamp(&at)
	}
	if !graceful && waits {
		accessor.SetDeletionGracePeriodSeconds(new(int64))
	}
	object, err = q.kind.external(internal)
	return object, err == nil && !waits && (!graceful || removable(object)), err
}
